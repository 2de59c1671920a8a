"""The gate's English patterns, over lower-cased sentences; ``THIRD_PERSON`` rules see capitals."""

from recalld.recall.gate_rules.model import ACTION, AMBIGUOUS, DEMAND, HISTORY, MEMORY
from recalld.recall.model import RouteKind

_DAY = r"(?:mon|tues|wednes|thurs|fri|satur|sun)day"
_MONTH = (
    r"(?:january|february|march|april|may|june|july|august|september|october|november|december)"
)
_UNIT = r"(?:minute|hour|day|night|week|weekend|month|year|sprint|session|quarter)s?"
_SOME = r"(?:a|an|one|two|three|four|five|six|\d{1,3}|a few|few|a couple of|several|some|many)"
_TIME = (
    rf"(?:last (?:time|{_UNIT}|summer|winter|spring|autumn|fall|call|meeting|chat|run|round|{_DAY}"
    rf"|{_MONTH})|yesterday|the other (?:day|week|night)|earlier(?: today)?|previously|before"
    rf"|back then|{_SOME} (?:while|{_UNIT}) (?:ago|back)|a while (?:ago|back)|this morning"
    rf"|in the past|(?:on|in|since) (?:{_DAY}|{_MONTH})|in the past (?:few|couple of) {_UNIT})"
)
_US = r"(?:we|i|you and i)"
_IRREGULAR = (
    r"said|told|chose|chosen|went with|picked|set|sent|wrote|written|built|found|made|did|done"
    r"|ran|left|put|took|kept|saw|met|bought|spent|spoke|thought|settled|came up with|hit|cut"
    r"|began|lost|won|drew|drove|ate|paid|sold|taught|flew|slept|grew|let|heard|held|felt|knew"
    r"|read|gave"
)
DID = rf"(?:{_IRREGULAR}|[a-z]{{2,14}}ed)"

DEMANDS = (
    DEMAND.rule(
        "en_preference_then_and_now",
        r"\bi (?:used to|previously|once) (?:prefer|like|use|favou?r)\w*\b.{0,60}\b(?:now"
        r"|currently)\b|\bdid i (?:use to )?(?:prefer|like|use|favou?r)\b.{0,60}\b(?:now"
        r"|currently)\b",
        route=RouteKind.GRAPH,
    ),
    DEMAND.rule(
        "en_across_all_mine",
        r"\b(?:across|connect|relate|link|combine|summari[sz]e)\b.{0,20}\ball (?:of )?(?:my"
        r"|our) (?:\w+ ){0,2}(?:projects|tools|preferences|notes|memories)\b",
        route=RouteKind.HYBRID,
    ),
)

MEMORIES = (
    MEMORY.rule(
        "en_you_remember",
        r"\byou (?:still |even |also |happen to |do )?(?:remember|recall)\b(?! to\b)",
        r"\bhow (?:do|can|would) you (?:remember|recall)|\b(?:so|help|helps|make"
        r"|makes) (?:that )?you",
    ),
    MEMORY.rule(
        "en_remind_me",
        r"\bremind me\b(?! to\b| in \d| at \d| tomorrow| tonight| later| every| again (?:in|at"
        r"|to)\b)",
    ),
    MEMORY.rule(
        "en_what_you_know_of_us",
        r"\b(?:know|have|stored?|saved?) (?:anything |something )?(?:about|on) (?:me|us|my|our)\b",
        r"\bshould|\bneed to",
    ),
    MEMORY.rule(
        "en_i_forgot",
        r"\b(?:i|we)(?:'ve| have| had)? (?:completely |totally |just |already )?(?:forgot"
        r"|forgotten|can't (?:quite )?(?:remember|recall)|cannot (?:remember|recall)"
        r"|don't (?:quite |really )?(?:remember|recall)|lost track of)\b",
        r"\bforgot (?:my |the )?(?:\w+ )?(?:password|pin|login)\b",
    ),
    MEMORY.rule(
        "en_look_into_memory",
        r"\b(?:check|search|look (?:in|into|up|through)|use|consult|from|in|scan"
        r"|dig through) (?:your|my|our) (?:own )?(?:long.term |saved |stored |earlier |previous "
        r"|past |old )?(?:memor(?:y|ies)|notes|history|chats|conversations|sessions|logs)\b",
    ),
    MEMORY.rule(
        "en_remember_when",
        r"^(?:hey |hi |so |ok |and |also )?(?:\w+, )?remember (?:when|what (?:we|i|you)|how (?:we"
        r"|i)|where (?:we|i)|our|us|(?:the|that) (?:time|day|bug|issue|one|thing|trick|idea"
        r"|plan))\b",
    ),
    MEMORY.rule("en_refresh_memory", r"\b(?:jog|refresh) my memory\b"),
    MEMORY.rule(
        "en_you_told",
        r"\byou (?:had |have |'ve |once |already |also |just )?(?:told|recommended|suggested"
        r"|mentioned|showed|proposed|shared|advised|promised|noted|saved|explained)\b|\byou(?:'ve"
        r"| have| had) (?:said|given)\b|\byou said\b|\bdid you (?:say|tell|recommend|suggest"
        r"|mention|note|save|call|name|propose|write down)\b",
    ),
    MEMORY.rule(
        "en_i_told",
        r"\b(?:i|we)(?:'ve| have| had)? (?:already |once |also )?(?:told|asked|mentioned"
        r"|informed) (?:to )?you\b|\b(?:did|have) (?:i|we) (?:ever |already )?(?:say|tell|mention"
        r"|said|told|ask|asked|give you|share|note|call|name)\b|\bi (?:said|mentioned)\b",
        r"\bi asked you to (?:not|stop)",
    ),
)

HISTORIES = (
    HISTORY.rule(
        "en_same_as_before",
        r"\bsame [^.?!]{1,40}? as (?:the |my |our )?(?:last|previous|earlier)\b|\b(?:same|like|as"
        r"|similar to|just as)\b[^.?!]{0,40}\b(?:last time|previously|yesterday|in the past"
        r"|before(?: please)?$|before,|(?:we|i|you) (?:always |usually )?(?:did|used|had|agreed"
        r"|discussed|said|decided|planned|do|discussed))\b",
        r"\blike i (?:said|do)\b",
    ),
    HISTORY.rule(
        "en_we_then",
        rf"\b{_US}(?:'ve|'d| have| had)? (?:\w+ ){{0,2}}?{DID}\b[^.?!]{{0,80}}\b{_TIME}\b"
        rf"|\b{_TIME}\b[^.?!]{{0,30}}\b{_US} (?:\w+ )?{DID}\b"
        rf"|\bdid {_US}\b[^.?!]{{0,60}}\b{_TIME}\b",
        r"\b(?:should|can|could|do|to|would|must|how to) (?:i|we)\b|\bany (?:tips|ideas|advice)\b"
        r"|\bhow (?:to|do|can)\b|\b(?:explain|what is|what are|moon)\b|\bbefore (?:i|we|you|the"
        r"|it|running|doing|\w+ing)\b",
    ),
    HISTORY.rule(
        "en_from_then",
        rf"\b(?:from|of|since|during|in) (?:yesterday|last (?:time|{_UNIT}|{_DAY})|earlier today"
        rf"|the other day|our (?:last|previous|earlier|first)|{_DAY}(?:'s)?)\b|\byesterday's"
        r"|\blast (?:week|night|month|year|quarter|sprint|time|session)'s",
        r"\b(?:news|weather|scores?|match|prices?|stocks?|rates?|game|election|earthquake"
        r"|commits?|files|e-?mails?|logs?|headlines|episode|concert|paper|newspaper|show)\b",
    ),
    HISTORY.rule(
        "en_our_earlier",
        r"\b(?:our|my|your) (?:last|previous|earlier|past|old|original|prior|first|latest"
        r"|recent) (?:\w+ ){0,2}(?:chat|conversation|discussion|session|talk|meeting|plan"
        r"|decision|call|design|agreement|idea|approach|version|draft|notes?|choice|answer"
        r"|suggestion|recommendation|proposal|trip|order|visit|attempt|appointment|job|project"
        r"|setup|config\w*)\b",
    ),
)

AMBIGUOUSES = (
    AMBIGUOUS.rule(
        "en_that_now",
        r"\b(?:status|state|progress) of (?:that|those)\b|\bthat [\w-]+(?: [\w-]+){0,3} now\b\??$"
        r"|\bhow(?:'s| is| are) (?:that|those) [\w-]+(?: [\w-]+){0,3} (?:now|going|doing"
        r"|coming along)",
        r"\bnow (?:that|i|we|the)\b",
    ),
)

ACTIONS = (
    ACTION.rule(
        "en_work_on_this",
        r"\b(?:tune|fix|optimi[sz]e|check|refactor|update|improve|review|clean up|rename|debug"
        r"|test|deploy|run|finish|continue|extend|simplify|adjust|implement|change|move|merge"
        r"|polish|document|explain|look at|speed up|migrate|upgrade|remove|delete"
        r"|finali[sz]e)\b.{0,40}\b(?:this|these|that|those|the current|the existing|current)\b",
        r"\b(?:the following|below|this (?:sentence|paragraph|text|email))\b",
    ),
)
