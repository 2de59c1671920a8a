"""What logins, limits and servers say in English when work fails, as data. Pure."""

_LOGIN = r"(?:log(?:ged)?|sign(?:ed)?)[ -]?(?:back )?in"
_CREDENTIAL = (
    r"(?:session|login|log-?in|credentials?|(?:oauth |access |auth |refresh |api |bearer )?tokens?"
    r"|api[ -]?key|x-api-key|authorization|cookies?|certificate|subscription|trial)"
)
_NET = (
    r"(?:request|connection|gateway|network|operation|api|llm|model|server|upstream|stream|read"
    r"|socket)"
)

# Each is a whole clause: words behind it make it a sentence about the failure, which is work.
CLAUSES = (
    rf"(?:you(?:'re| are) )?(?:not|no longer) {_LOGIN}(?: to .{{1,40}})?",
    r"(?:please |you (?:must|need to|have to) |kindly |try )*+(?:run|use|type|enter)? ?/(?:login"
    r"|logout)(?: .{0,60})?",
    r"(?:please |you (?:must|need to|have to) |kindly )*+(?:re-?authenticate"
    rf"|authenticate|{_LOGIN})(?: again| first)?(?: to (?:continue|proceed|use .{1, 40}))?",
    r"unknown (?:skill|slash command|command|tool|agent|model)(?:[: ]+[\w/'\"`.:-]{1,80})?",
    rf"(?:your |the )?{_CREDENTIAL} (?:has |have |is |was |are |been )*+(?:expired|invalid|revoked"
    r"|timed out"
    r"|missing|rejected|no longer valid|not valid|not found)",
    rf"(?:expired|invalid|missing|incorrect|no|bad) {_CREDENTIAL}(?: provided| supplied| found)?",
    r"(?:auth|authentication|authorization|login|log-?in|oauth|sso|sign-?in)(?: has| was| is"
    r"| attempt)*+"
    r" (?:failed|failure|error|required|expired|denied|timed out|unsuccessful)(?:[:(].{0,200})?",
    rf"(?:(?:the |your )?{_NET} )*+(?:error )?(?:timeout|timed out|time-out)(?: error| exceeded"
    r"| reached)?"
    r"(?: after [\w. ]{1,20})?(?:[:(].{0,200})?",
    r"(?:you(?:'ve| have) )?(?:(?:been|hit|reached|exceeded) )?(?:the |your |an? )?(?:(?:api|org"
    r"|organi[sz]ation|account|model|daily|hourly|weekly|free|plan) )*+"
    r"(?:rate|usage|session|request|token|weekly|daily|hourly|5-hour)[ -]?limit(?:s|ed|ing)?"
    r"(?: error)?(?: (?:was |has been |is )?(?:exceeded|reached|hit))?(?:[:(].{0,200})?",
    r"too many requests(?:[:(].{0,200})?|(?:quota|limit) (?:was |has been |is )?(?:exceeded"
    r"|reached)",
    r"resets?(?: (?:at|in|on))? [\w:. ()/+-]{1,40}",
    r"(?:please )?(?:try|retry|retrying|wait)(?: again)?(?: (?:later|shortly|soon|now"
    r"|at [\d:apm ]{1,8}|(?:in|after|for) (?:an? )?(?:few )?\d{0,6} ?(?:ms|s|secs?|seconds?"
    r"|m|mins?|minutes?|hours?|moments?|while)))?",
    r"(?:your )?(?:credit )?(?:balance|credits?|funds|quota) (?:is |are )?(?:too low|insufficient"
    r"|exhausted|used up)"
    r"|insufficient (?:credits?|quota|balance|funds)|payment required",
    r"(?:api|https?|server|network|connection|internal(?: server)?|provider|model|llm|gateway"
    r"|stream|upstream|fetch"
    r"|request|execution|runtime|unexpected|unknown) error(?:[:(].{0,400}| \d{3}\b.{0,400})?",
    r"(?:error|http|status|code)[: ]+\d{3}\b.{0,200}",
    r"(?:error )?\d{3} (?:unauthori[sz]ed|forbidden|bad request|too many requests"
    r"|internal server error"
    r"|bad gateway|service unavailable|gateway timeout|overloaded|payment required"
    r"|not found)(?:[:({].{0,400})?",
    r"(?:(?:the )?(?:service|server|model|api) (?:is )?)?(?:temporarily "
    r"|currently )?(?:overloaded|unavailable)(?:_error)?",
    r"unauthori[sz]ed|access denied|permission denied|forbidden|not authori[sz]ed",
    r"(?:the )?(?:prompt|context|input) (?:is )?too long|(?:context|token) (?:window|length"
    r"|limit) (?:is )?(?:exceeded|full)",
    r"\[?(?:the )?(?:request|response|run|turn|stream|message) (?:was )?(?:aborted|cancell?ed"
    r"|interrupted)(?: by (?:the )?user)?(?: for tool use)?\]?",
    r"(?:an? )?(?:unexpected |unknown |internal )?error (?:has )?occurr?ed(?: while .{1,60})?"
    r"|something went wrong",
    r"(?:econnrefused|econnreset|enotfound|etimedout|socket hang up|fetch failed"
    r"|connection (?:refused|reset|closed|lost))"
    r"(?:[: ].{0,100})?",
    r"(?:heartbeat_ok|no_reply|no response requested)",
)
# A clause that only opens or goes with another one of these.
AROUND = (
    r"(?:error|errors?|failed|fatal|warning|warn|exception|note|code|status|details?|oops|sorry)"
)
