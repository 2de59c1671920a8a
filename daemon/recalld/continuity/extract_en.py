"""Where a conversation in English says what is to be done, decided, next and in the way. Pure.

Patterns for one sentence, in any case.
"""

_ASKING = (
    r"(?:please|pls|can you|could you|would you|will you|hey|hi|hello|ok|okay|so|now|then|also"
    r"|and|first"
    r"|next|today|just|let's|let us|kindly|help me|help us|(?:we|i|you) (?:need|have"
    r"|want) (?:you )?to"
    r"|(?:we|you) (?:should|must)|(?:i|we)(?:'d| would) like (?:you )?to|need to|time to"
    r"|your (?:task|job) is to"
    r"|(?:the |our |my )?(?:task|goal|objective|job|plan) (?:is|for today is)(?: to)?)"
)
_VERB = (
    r"(?:"
    r"analy[sz]e|assemble|automate|archive|adjust|adapt|allow|audit|add|benchmark|back up"
    r"|build|book|bump|calculate|configure|collect|compare|compile|compose|connect|convert"
    r"|change|create|check|clean|count|copy|cap|cut|do(?= (?:the|an?|some|our) )|decrease"
    r"|describe|document|disable|define|delete|deploy|design|debug|draft|drop|evaluate|extract"
    r"|enable|expand|export|extend|edit|finali[sz]e|figure out|finish|fill|find|fix"
    r"|get(?= (?:the|our|my|this) )|go through|generate|handle|investigate|implement|integrate"
    r"|introduce|increase|improve|install|import|look into|limit|lower|measure|migrate|monitor"
    r"|merge|make|mock|move|optimi[sz]e|organi[sz]e|outline|order|proofread|prototype|prepare"
    r"|profile|publish|polish|parse|patch|print|pack|plan|port|pull|push|pin|put|reorgani[sz]e"
    r"|restructure|reproduce|redesign|refactor|research|rebuild|release|replace|resolve"
    r"|restore|rewrite|record|reduce|remove|rename|render|repair|review|rework|raise|reset|run"
    r"|start(?= (?:the|an?|on|with) )|summari[sz]e|structure|schedule|separate|simplify"
    r"|simulate|speed up|support|scrape|set up|shrink|sketch|submit|switch|serve|setup|split"
    r"|store|scan|send|ship|sign|sort|sync|set|track down|translate|train|test|tidy|trim|turn"
    r"|try|upgrade|update|upload|unify|validate|verify|work out|work on|write|wire"
    r")"
)
TASK = (
    rf"\W*(?:{_ASKING}[\s,:]+)*+(?:{_VERB}\b(?!\s*[:=(])"
    r"|(?:i|we) (?:need|want|would like) (?:an?|the|some|our|all|two|three)\b"
    r"|(?:i'm|i am|we're|we are) (?:trying to|working on|building|writing|planning|migrating"
    r"|setting up|looking (?:to|for))\b"
    r"|(?:task|goal|objective|todo|bug|issue|feature)\s*[:#]\s*\S)"
)
# Something is wrong: work, where nothing else was asked for.
TROUBLE = (
    r"\W*why (?:does|is|do|are|did|isn't|doesn't|can't|won't|has|have) (?:my|our|the|this|it|we"
    r"|i)\b"
    r"|.*\b(?:my|our|the|this|that)\b.*\b(?:fails?|failing|crash(?:es|ed|ing)?|breaks?|broken"
    r"|hangs?"
    r"|doesn't (?:work|start|load|compile|build)|not working|throws?|errors? out|stopped working)\b"
)
# A question that is a request.
REQUEST = (
    r"\W*(?:(?:hey|hi|hello|ok|okay|so|now|please)[\s,]+)*+(?:can|could|would"
    rf"|will) you (?:please |also |just )?{_VERB}\b"
)
# Opens like more about what is going on, or points back to it: not new work.
FOLLOW_UP = (
    r"\W*(?:also|and|then|now|next|again|ok(?:ay)? (?:now|then|so)|after that|additionally|one more"
    r"|in addition|instead|same|but)\b"
)
POINTS_BACK = (
    rf".*\b{_VERB} (?:up |out )?(?:it|them|that|those|both|the same|the other|the rest"
    r"|(?:this|these)(?=\W*$| (?:to|in|for|with|on|and|so|into|as|again|too|please|now)\b))\b"
    r"|.*\bas (?:(?:we|i|you) )?(?:discussed|agreed|planned|said|described|before)\b"
    r"|.*\b(?:it|this|that|them|too|as well|again|instead|above)\W*$"
)
NEXT = (
    r"\W*(?:next(?! (?:week|month|year|day|time|to|door|quarter|sprint|monday"
    r"|friday)\b)(?: (?:steps?|actions?|up|tasks?))?"
    r"|remaining(?: (?:steps?|work|tasks?))?|to-?do|still to do|up next|what(?:'s| is) left"
    r"|left to do)"
    r"\b(?: (?:is|are|will be))?(?: to)?\s*[:,\u2013-]?\s*(?:i(?:'ll| will)|we(?:'ll| will)"
    r"|let me|i'm going to)?\s*(?P<after>.*)"
    r"|\W*the next (?:step|action|thing|task) (?:is|will be)(?: to)?\s*:?\s*(?P<step>.*)"
    r"|\W*(?:(?:then|after that|now|afterwards|once that is done"
    r"|with that done)[\s,]+)*+(?:i(?:'ll| will)|we(?:'ll| will)|let me"
    r"|i'm going to|i am going to|we(?: still)? need to|i(?: still)? need to|we should"
    r"|it remains to)"
    r" (?:now |next |then |also |still )*+(?P<plan>(?!(?:know|be (?:happy|glad|able|here)|help"
    r"|explain|wait|assume|see|say|think|try my|do my)\b).*)"
    r"|\W*(?P<offer>(?:shall|should) (?:i|we) (?!know\b).{3,}\?)"
)
DECIDED = (
    r".*\b(?:(?:we|i|they)(?:'ve| have)? (?:decided|agreed|chose|settled|picked)|decided (?:to|on"
    r"|against)"
    r"|decision\s*:|agreed\s*:|(?:let's|we'll|we will|we're going to|i'll|i will) (?:go with|use"
    r"|keep"
    r"|stick with|stay with|drop)|going with|we(?:'re| are) (?:going with|using|keeping"
    r"|sticking with)"
    r"|went with)\b"
)
# Said by a user, it is decided.
CHOSEN = (
    r"\W*(?:(?:please|then|ok|okay|and|so|yes|no)[\s,]+)*+(?:use|keep|go with|stick with|stay with"
    r"|don't use|do not use|never use|always use|prefer)\s+\S+.*"
)
UNDECIDED = (
    r"\b(?:not|never|haven't|hasn't|didn't|yet to|whether|if|should we|can't|could|might|maybe"
    r"|perhaps|unless)\b"
)
BLOCKED = (
    r".*\b(?:(?:is |are |am |'re |'m |still )?blocked (?:by|on|until)|waiting (?:for|on)"
    r"|stuck (?:on|at|because|with)"
    r"|can(?:'t|not) (?:proceed|continue|go on|move on|go ahead)|blockers?\s*:"
    r"|need(?:s)? (?:your |the |an? |some )?(?:\w+ )?(?:access|approval|credentials?|permissions?"
    r"|sign-?off|password|api key|confirmation)"
    r"|(?:no|lacks?|missing) (?:\w+ )?(?:access|credentials?|permissions?|api key))\b.*"
)
UNBLOCKED = (
    r"\b(?:no longer|unblocked|not blocked|nothing is|no blockers?|was blocked|were blocked"
    r"|had been)\b"
)
UNDERWAY = (
    r"\b(?:(?:i|we)(?:'ve| have)? (?:now |also |just |already )?(?:\w{3,}ed|found|wrote|ran|set"
    r"|made|built|put|got|began|sent)"
    r"|currently|so far|in progress|halfway|is running|are running|now (?:at|on|running|working)"
    r"|started|found that"
    r"|\d+ (?:of|out of) \d+|\d{1,3} ?%|passes|pass|fails|failing|failed|differ)\b"
)
FILLER = (
    r"\W*(?:sure|of course|certainly|absolutely|great|ok|okay|got it|understood|thanks?|thank you"
    r"|you're welcome|happy to"
    r"|let me know|feel free|is there anything|anything else|i hope|hope this|sorry"
    r"|good (?:morning|question|idea))\b.*"
)
