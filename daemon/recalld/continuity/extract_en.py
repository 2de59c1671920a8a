"""Where a user says in English what is to be done. Pure.

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
VERB = (
    r"(?:"
    r"analy[sz]e|assemble|automate|archive|adjust|adapt|allow|audit|add|benchmark|back up"
    r"|build|book|bump|calculate|configure|collect|compare|compile|compose|connect|convert"
    r"|change|create|check|clean|count|copy|cap|cut|do(?= (?:the|an?|some|our) )|decrease"
    r"|describe|document|disable|define|delete|deploy|design|debug|draft|drop|evaluate|extract"
    r"|enable|encrypt|expand|export|extend|edit|finali[sz]e|figure out|finish|fill|find|fix"
    r"|get(?= (?:the|our|my|this) )|go through|generate|handle|investigate|implement|integrate"
    r"|introduce|increase|improve|install|import|look into|limit|lower|measure|migrate|monitor"
    r"|merge|make|mock|move|optimi[sz]e|organi[sz]e|outline|order|proofread|prototype|prepare"
    r"|profile|publish|polish|parse|patch|print|pack|plan|port|pull|push|pin|put|reorgani[sz]e"
    r"|restructure|reproduce|redesign|refactor|research|rebuild|release|replace|resolve"
    r"|restore|rewrite|record|reduce|remove|rename|render|repair|review|rework|raise|reset|run"
    r"|start(?= (?:the|an?|on|with) )|summari[sz]e|structure|schedule|separate|simplify"
    r"|simulate|wrap|zip|hook up|harden|localize|package|provision|throttle|speed up|support"
    r"|scrape|set up|shrink|sketch|submit|switch|serve|setup|split"
    r"|store|stream|scan|seed|swap|send|ship|sign|sort|sync|set|track down|translate|train|test"
    r"|tidy|trim|turn"
    r"|try|upgrade|update|upload|unify|validate|verify|work out|work on|write|wire"
    r")"
)
TASK = (
    rf"\W*(?:{_ASKING}[\s,:]+)*+(?:{VERB}\b(?!\s*[:=(])"
    r"|(?:i|we) (?:need|want|would like) (?:an?|the|some|our|all|two|three)\b"
    r"|(?:i'm|i am|we're|we are) (?:trying to|working on|building|writing|planning|migrating"
    r"|setting up|looking (?:to|for))\b"
    r"|(?:task|goal|objective|todo|bug|issue|feature)\s*[:#]\s*\S)"
)
# Something is wrong: work, where nothing else was asked for.
TROUBLE = (
    r"\W*why (?:does|is|do|are|did|isn't|doesn't|can't|won't|has|have) (?:my|our|the|this|it|we"
    r"|i)\b"
    r"|.*\b(?:is|are) (?:down|offline|unreachable)\b"
    r"|.*\b(?:my|our|the|this|that)\b.*\b(?:returns? (?:an? )?[45]\d\d|fails?"
    r"|failing|crash(?:es|ed|ing)?|breaks?|broken"
    r"|hangs?|freez(?:es?|ing)|leaks?|tim(?:es?|ed|ing) out|(?:is|are) (?:(?:too|very|so) )?(?:slow"
    r"|wrong|missing|flaky|stuck)|doesn't (?:work|start|load|compile|build)|not working|throws?"
    r"|errors? out|stop(?:s|ped) working)\b"
)
# The beginning of a sentence that asks for nothing and tells of no trouble.
TALK = (
    r"\W*(?:i(?:'m|'ve|'d|'ll)? (?:\w+ )?(?:like|love|prefer|think|see|agree|know|guess|hope|mean"
    r"|feel"
    r"|understand|remember|wonder|was wondering|already|just|did|have|had|am|will|can)|i'(?:m|ve"
    r"|ll)"
    r"|you(?:'re|'ve)?|that(?:'s)?|this|it(?:'s)?|these|those|there|here|yes|yeah|yep|no|nope|not"
    r"|maybe|looks?|sounds?|seems?|good|great|nice|cool|perfect|awesome|amazing|well done|sure|ok"
    r"|okay|thanks?|thx|ty|hi|hello|hey|welcome|sorry|lol|haha|bye|what|who|when|where|which|how"
    r"|why"
    r"|is|are|was|were|do|does|did|never ?mind|wait|hm+|oh|ah|wow|interesting|right|exactly|correct"
    r"|go on|continue|try|again|both|first|second|the (?:first|second|last|other))\b"
)
# In front of something else that has to be done first, and of what is gone back to.
INTERRUPTS = (
    r"\W*(?:(?:ok|okay|oh|hey|sorry|actually|but|so|and|no|please|hm+|uh|one moment)[\s,:!.-]+)*+"
    r"(?:wait|hold on|stop|hang on|one sec(?:ond)?"
    r"|before (?:that|this|we (?:go on|continue|do that))"
    r"|first,|first something else|(?:something|a) (?:more )?urgent(?: (?:thing|issue|bug))?|urgent"
    r"|emergency|new (?:task|topic)|different (?:task|topic)|change of (?:topic|task)"
    r"|(?:let's )?(?:park|pause) (?:this|that|it))(?: (?:came up|first|for now|please))?"
    r"[\s,:;.!\u2013\u2014-]+(?=\w)"
)
RETURNS = (
    r"\W*(?:(?:ok|okay|good|great|nice|phew|thanks|now|so|and|then|perfect|alright|cool)[\s,:!.-]+)*+"
    r"(?:(?:let's|let us|can we|we can|please) )?(?:(?:go|get|come|going) )?(?:back (?:to|on)"
    r"|return to|resume|continue with|go on with)[\s:]+(?=\w)"
)
# It puts something else in the place of what there is: more about the work at hand.
CORRECTS = r".*\b(?:instead|rather than|in place of|actually|on second thoughts?|not any ?more)\b"
# A question that is a request.
REQUEST = (
    r"\W*(?:(?:hey|hi|hello|ok|okay|so|now|please)[\s,]+)*+(?:can|could|would"
    rf"|will) you (?:please |also |just )?{VERB}\b"
)
# Opens like more about what is going on, or points back to it: not new work.
FOLLOW_UP = (
    r"\W*(?:also|and|then|now|next|again|ok(?:ay)? (?:now|then|so)|after that|additionally|one more"
    r"|in addition|instead|same|but)\b"
)
POINTS_BACK = (
    rf".*\b{VERB} (?:up |out )?(?:it|them|that|those|both|the same|the other|the rest"
    r"|(?:this|these)(?=\W*$| (?:to|in|for|with|on|and|so|into|as|again|too|please|now)\b))\b"
    r"|.*\bas (?:(?:we|i|you) )?(?:discussed|agreed|planned|said|described|before)\b"
    r"|.*\b(?:it|this|that|them|too|as well|again|instead|above)\W*$"
)
