"""How English says what is decided, planned, done and preferred, as patterns. Pure.

All are for one sentence or clause in lower case, with straight quotes, in which a code span or a
quotation is one private character. Those of a clause are matched at its start, after ``LEAD``.
"""

_DAYS = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_MONTHS = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december"
    r"|jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)"
)
_SPAN = rf"(?:week(?:end)?|month|year|quarter|sprint|spring|summer|autumn|fall|winter|{_DAYS})"
_DATE = rf"(?:{_DAYS}|(?:the )?\d{{1,2}}(?:st|nd|rd|th)?(?: of)? {_MONTHS}|{_MONTHS}(?: \d+)?)"
# A moment that is yet to come, where the verb does not say otherwise.
FUTURE = (
    rf"\b(?:tomorrow|tonight|later today|next {_SPAN}|this (?:{_SPAN}|evening|afternoon)"
    rf"|(?:by|before|until|on|in|from|starting|around|at|for) (?:the )?(?:end of |start of"
    rf"|middle of |early |mid-?|late )?(?:the )?(?:{_DATE}|{_SPAN}|q[1-4]\b|20\d\d)"
    r"|(?:by|before|until) (?:tomorrow|noon|tonight|then|christmas|easter|new year)"
    r"|in (?:a|an|one|two|three|four|five|six|a few|a couple of|\d+) (?:hour|day|week|month|year)s?"
    r"|on the \d+(?:st|nd|rd|th)|on \d{4}-\d\d-\d\d|(?:by|before|on) \d{1,2}[./]\d{1,2})"
)
# What may stand before the statement itself, with or without a comma.
LEAD = (
    r"(?:ok(?:ay)?|so|well|right|and|but|also|then|now|yes|yep|yeah|no|fyi|btw|by the way|note"
    r"|update|good news|great news|hey|hi|hello|actually|anyway|alright|finally|thanks|perfect"
    r"|great|cool|today|yesterday|tonight|tomorrow(?: morning| evening| afternoon)?|in the end"
    r"|just so you know|for the record|after all|personally|honestly|in general|generally"
    rf"|(?:early |late )?(?:next|this|last) (?:{_SPAN}|morning|evening|afternoon)"
    rf"|on {_DAYS}|in {_MONTHS}|by {_DAYS})\b[ ,:!.-]*"
)
# A clause before the statement that only says when or why.
WHEN = (
    r"(?:after|before|following|for|in|on|at|to|since|because|given|with|starting|from|until|by"
    r"|due to|as of|once|now that|having)\b"
)
# Such a phrase where no comma parts it from the statement.
WHEN_LEAD = (
    r"(?:after|following|since|because of|due to|given|thanks to|for)\b[^,;:]{1,80}?"
    r" (?=(?:i|we)(?:'\w+)? )"
)
# What may stand before a colon in front of one's own words.
LABEL = (
    r"(?:(?:the|our|my|final|quick|status|current|new) )*(?:decision|decided|agreed|update|plan"
    r"|note"
    r"|fyi|todo|to-do|result|outcome|status|news|reminder|summary|preference|goal|conclusion|done"
    r"|fixed|solved|resolved|shipped|ps|p\.s\.|btw)(?: is(?: final)?| was| made)?"
)

# Not said as a fact, or not by the one who speaks.
BLOCKED = (
    r"\b(?:if|unless|whether|would|could|might|may(?= (?:be|have|not|well|want|need))|maybe|perhaps"
    r"|possibly|probably|suppos(?:e|ed|ing)|imagin(?:e|ing)|assum(?:e|ing)|pretend|hypothetical"
    r"|wish|hopefully|in case|should (?:i|we)|were to|let's say|say|says|saying|said|told|tells"
    r"|wrote|writes|claim(?:s|ed)?|mention(?:s|ed)?|announced|according to|reportedly|heard"
    r"|i (?:think|guess|believe|assume|suspect|doubt|hope)|not sure|unsure|unclear"
    r"|(?:was|were) (?:going|about|planning|supposed|meant) to|used to|almost|nearly|kidding"
    r"|joking|pretending|had (?:i|we)|as though)\b|^(?:for example|for instance|e\.g\.)"
    r"|\b(?:the )?(?:docs?|documentation|readme|article|spec|ticket|manual|guide|policy|law)"
    r" (?:states?|requires?|recommends?|suggests?)\b"
)
# What an agent repeats of what it was told.
BLOCKED_AGENT = (
    r"\byou(?:'ve| have|'d| had)? (?:decided|agreed|chose|prefer|like|want|asked|planned|noted"
    r"|recorded)|\b(?:your|the|my|our) (?:notes?|memory|memories|history|records?|log)\b"
    r"|\b(?:earlier|previously|last (?:week|time|month|year|session)|back in|in the past|ago)\b"
)
TROUBLE = (
    r"\b(?:still|fail(?:s|ed|ing|ure)?|crash\w*|errors?|broken|breaks|stuck|hangs|wrong|does(?:n't"
    r"| not)|do(?:n't| not)|can(?:'t|not)|won't|could(?:n't| not)|nothing|unable|instead of working"
    r"|tried|attempted|partially|except)\b"
)
# Of somebody else's, though it may look like one's own.
OTHERS = r"\b(?:competitors?|vendors?|rivals?|suppliers?|upstream|they|he|she|them)\b"
# What is pointed at is not there when the memory is read.
POINTING = r"\b(?:this|that|these|those|it|them|here|above|below)\b"

_WE = r"(?:i|we)(?:'ve|'d| have| had)?"
_BE = r"(?:i'm|i am|i are|we're|we are)"
_ADV = (
    r"(?: (?:just|now|finally|already|also|recently|both|all|then|together|definitely|really"
    r"|strongly|generally|usually|mostly|actually|personally|much|certainly|officially"
    r"|successfully|today|yesterday|still|always|typically|normally|too|currently))*+"
)
# What one is about to do in the conversation itself.
_TALK = (
    r"(?:keep|paste|show|send you|share|give you|ask|tell|guess|assume|be|need|try|check|look"
    r"|see|know"
    r"|understand|use|run|restart|go|start|stop|wait|take|test|do|have|get|find out|figure out"
    r"|think"
    r"|explain|read|make sure|let you|debug|stick|leave it)\b"
)
_DO = rf"(?!{_TALK})\w+(?!.*\bsomething\b)"

DECIDED = (
    rf"{_WE}{_ADV} (?:decided|agreed|settled on|settled for|opted|committed to|made up my mind)"
    r"(?! (?:nothing|yet|if|whether)\b)",
    rf"{_WE}{_ADV} (?:chose|chosen|picked(?! up))(?! (?:this|that|these|those|them|it|him|her)\b)",
    r"let(?:'s| us) (?:go with|stick with|stay with|standardi[sz]e on|switch to|settle on|adopt"
    r"|move (?:everything|all|the \w+|to)(?! the next| next)(?! on\b))",
    r"let(?:'s| us) (?:use|keep|drop|skip|do) (?!\w+ing\b)(?=.*\b(?:instead|rather than|over"
    r"|everywhere|because"
    r"|from now on|as (?:the|our)|for (?:all|every))\b)",
    rf"{_BE}{_ADV} (?:going with|sticking with|staying with|standardi[sz]ing on|deprecating"
    r"|abandoning|switching (?:\S+ ){0,4}?(?:to|from|over)\b|moving (?:away from|over|off|to)"
    r"|adopting"
    r"|(?:dropping|keeping) (?:support|the|our|all|both)|not going to \w+|no longer (?:using"
    r"|supporting|shipping))",
    r"(?:i|we)(?:'ll| will) (?:go with|stick with|stay with|standardi[sz]e on|adopt)",
    r"(?:the|our|my)(?: final)? decision (?:is|was)\b",
    r"it(?:'s| is| has been)(?: now| finally)? (?:decided|settled|agreed)\b",
    r"(?:i|we)(?: will not|'ll not| won't| will no longer|'ll no longer) (?:support|use|ship|offer"
    r"|maintain|deploy|accept|allow|publish|sell|build|buy)\b",
)
PLANNED = (
    rf"(?:i|we){_ADV} (?:plan|intend|aim)(?: on \w+ing| to {_DO})",
    rf"{_BE}{_ADV} (?:planning|scheduled|due|set|going)(?: on \w+ing| to {_DO})",
)
PLANNED_ALONE = (
    r"(?:please )?(?:remind me|don't let me forget|make sure (?:i|we) don't forget"
    r"|help me remember)(?: again)?\b(?! (?:what|how|why|who|where|when|which|of what)\b)",
    r"(?:my|our)(?: \w+)? (?:goal|plan|aim|target|intention|deadline)(?: for [^,.]{1,40})?"
    r" (?:is|are)\b",
    r"(?:the|our) plan is to ",
    r"(?:the )?deadline (?:is|for)\b",
)
# Plans where they say when.
PLANNED_WHEN = (
    r"(?:i|we)(?:'ll| will|'ve got to| have to| need to| must| want to| are to| gotta)(?: also"
    r"| then| still)? (?!(?:know|see|understand|ask|try|be|get back|come back|continue"
    r"|talk|send you|let you|ping you|update you|report|reply|return|look|do that|do it)\b)\w+",
    rf"{_BE}{_ADV} (?!(?:trying|wondering|getting|seeing|looking|using|having|going"
    r"|sticking|staying|keeping|thinking|considering|feeling|hoping|debating|asking|curious)\b)\w+ing",
    rf"{_BE}{_ADV} going to (?!(?:try|see|ask|check)\b)\w+",
    r"(?:i|we)(?: have|'ve got| have got| got) (?:a|an|my|our|the) (?:[\w-]+ ){0,5}?(?:appointment"
    r"|meeting|interview|exam|flight|call|deadline|demo|review|presentation|surgery|checkup"
    r"|tournament|trip|conference|visit|workshop)\b",
    r"(?:i|we) (?:launch|release|ship|leave|fly|move|start|meet|present|return|travel|migrate"
    r"|deploy)\b",
    r"(?:the|our|my) (?:\w+ ){0,3}(?:launch|release|demo|deadline|meeting|review|migration|exam"
    r"|flight|interview|presentation|appointment|conference|trip|workshop|cutover|rollout) (?:is"
    r"|are|will be|takes place|happens|starts)\b",
)
# Things of a kind, or what one does: not the thing at hand, nor how it came out.
_A_KIND = (
    r"(?! (?:this|that|these|those|your|you|his|her|their|its|him|them|all (?:the|of)|how|what"
    r"|where|when (?:this|that|it|you)|the|a lot|to (?:help|ask|bother|say|admit|know|interrupt|see"
    r"|hear)|seeing|making (?:him|her|them)|watching (?:him|her|them|our)|it\b(?! when))\b)"
)
PREFERRED = (
    rf"(?:i|we){_ADV} (?:prefer|favou?r)\b(?! not to\b)(?! to (?:see|know|hear|say|wait)\b)",
    r"(?:i|we)'d (?:much |really )?(?:rather|prefer)\b(?! (?:some|any)thing\b)"
    r"(?=.*\b(?:than|over|instead of|not)\b)",
    rf"i{_ADV} (?:like|love|enjoy|hate|dislike|can't stand|cannot stand|detest)\b{_A_KIND}",
    rf"i (?:really )?(?:do not|don't)(?: really)? (?:like|enjoy)\b{_A_KIND}",
    r"(?:i|we) (?:always|usually|typically|normally|never|generally)(?: want(?: to)?)? (?:use|write"
    r"|name|keep|put|deploy|run|commit|merge|squash|test|review|work|format|indent|start|pin|tag"
    r"|want)\b",
)
# What an agent can be told to do always or never.
_ORDER = (
    r"(?:use|answer|reply|respond|write|run|ask|add|include|keep|put|push|commit|merge|deploy"
    r"|delete"
    r"|remove|change|create|make|start|end|format|name|test|check|show|give(?! up)|send|call"
    r"|explain|quote"
    r"|translate|speak|talk|sign|squash|rebase|skip|log|store|save|touch|edit|modify|install|import"
    r"|assume|publish|share|post|mention|suggest|recommend|prefer|follow|leave|set|print|mock|cite"
    r"|link|open|close|read|refer|address|force-push|upgrade|downgrade|pin|rename|restart|review)"
)
PREFERRED_ALONE = (
    rf"(?:please )?{_ORDER}\b.*\b(?:from now on|going forward|in future)\b",
    rf"(?:please |and )?(?:always|never) {_ORDER}\b",
    r"(?:from now on|going forward|henceforth|in (?:the )?future(?! (?:version|release|sprint)))\b",
    r"my (?:preferred|favou?rite) .{1,60}?\b(?:is|are)\b",
    r"my preference is\b",
    r"(?:please )?(?:don't|do not|stop|avoid) \w+.*\b(?:ever|again|any ?more|in general"
    r"|in (?:all|any|every|my|our|commit))\b",
    r"(?:please )?call me (?!back|when|at|later|tomorrow|crazy|on|in|for|old)\w+",
)
_DONE = (
    r"(?:fixed|solved|resolved|shipped|released|launched|deployed|published|merged|finished"
    r"|completed|migrated|upgraded|rolled (?:back|out)|reverted|renewed|signed|submitted|paid"
    r"|booked|cancell?ed|hired|bought|sold|switched|replaced|closed|refactored|rewrote|implemented"
    r"|set up|rotated|archived|figured out|identified|got rid of"
    r"|(?:found|located|discovered) (?:the|out|a|what)? ?(?:\w+ )?(?:root cause|cause|culprit"
    r"|reason"
    r"|leak|why))"
)
_MENDED = r"\b(?:fixed|solved|resolved|figured out|found|identified|cause|culprit)\b"
MENDED = _MENDED
_WHAT = (
    r"(?:the|our|my)(?: (?!(?:when|that|which|who|whose|where|is|are|was|were|has|have|had|can|will"
    r"|to|only|always|must|should)\b)[^\s,;:]+){1,8}?"
)
_OVER = r"(?:done|finished|complete|completed|live|deployed|shipped|in production|rolled out)"
_MADE = (
    rf"(?:{_OVER}|fixed|resolved|solved|released|merged|approved|signed|published|migrated"
    r"|decommissioned|upgraded|replaced|cancell?ed|renewed|closed)"
)
_NOW = r"(?: (?:now|finally|all|already|officially|fully))"
_STOP = (
    r"(?=\s*(?:$|[.,;!]|[—–]|- |(?:now|today|yesterday|since|with|without|last|this|on|as of)\b))"
)
_CAUSE = r"(?:the )?(?:real |actual )?(?:root cause|culprit|cause of [^,;:]{2,60}?)\b"
DONE = (rf"{_WE}{_ADV} {_DONE}\b",)
DONE_ALONE = (
    rf"{_WHAT} (?:is|are){_NOW}? {_OVER}{_STOP}",
    rf"{_WHAT} (?:is|are)(?:{_NOW} {_MADE}{_STOP}| {_MADE} now\b)",
    rf"{_WHAT} (?:was|were|has been|have been){_ADV} {_MADE}\b",
    rf"{_WHAT}{_ADV} (?:finished|succeeded|went live|went through|completed){_STOP}",
    rf"{_CAUSE} (?:was|is|turned out)\b",
    r"(?:finally )?got (?:the|my|our|all|both) .{1,60}?\b(?:fixed|merged|deployed|approved|working"
    r"|done|released|published|migrated)\b",
    r"(?:v|version |release )\d[\w.]* (?:is|was|went)(?: finally| now)? (?:out|live|released"
    r"|shipped)\b",
)
DECIDED_AGENT = (
    rf"i(?:'ve| have)?{_ADV} (?:decided|chose|chosen|opted|went with|settled on)\b(?! not sure)",
)
_DONE_AGENT = (
    rf"(?:{_DONE}|wrote|added|created|built|moved|converted|removed|configured|renamed|updated"
    r"|introduced|extracted|patched|optimi[sz]ed|enabled|disabled|corrected|repaired|tracked down)"
)
DONE_AGENT = (rf"(?:i|we)(?:'ve| have)?{_ADV} {_DONE_AGENT}\b",)
DONE_AGENT_ALONE = DONE_ALONE
# Without a subject, where a sentence begins with it: "Fixed the test", not "Fixed expenses".
DONE_AGENT_FIRST = (
    rf"(?!set up\b){_DONE_AGENT} (?:(?:the|a|an|all|both|your|\d+|two|three|four|five|one)\b"
    r"|[\ue000-\uf8ff]|[\w-]+(?:\.|_|::)\w)",
)
# A sentence that says nothing but its label.
LABELLED = (
    r"(?:(?:the|our|my|final) )*(?:decision|decided|agreed)(?: is(?: final)?| was"
    r"| made)?\s*:\s*\S",
    r"(?:(?:the|our|my|next) )*(?:plan|to-?do|reminder|deadline)\s*:\s*\S",
    r"(?:my |our )?preferences?\s*:\s*\S",
)
