"""How people ask in English to go on with the work: families of patterns, as data. Pure.

Patterns see lower-case words set apart by single blanks, without signs but those inside words
and without contractions: "what's" is "what is".
"""

import re

from recalld.continuity.resume_model import Language, Rule

_WHO = r"(?:we|i|you)"
_BE = r"(?:were|was|are|am)"
_OWN = r"(?:the|our|my|your|this|that)"
_WORK = (
    r"(?:work|tasks?|job|session|steps?|plan|process|progress|things?|project|rest|conversation"
    r"|discussion|chat|thread)"
)
_KIND = (
    r"(?:same|next|current|previous|last|earlier|original|unfinished|interrupted|pending|ongoing"
    r"|remaining|present|active)"
)
_THE_WORK = rf"(?:(?:{_OWN} )?{_KIND} {_WORK}|{_OWN} {_WORK}|work)"
_DOING = (
    r"(?:doing|working on|up to|busy with|dealing with|in the middle of|trying to do|about to do"
    r"|discussing|talking about|building|fixing)"
)
_NOW_DOING = r"(?:doing|working on|in the middle of|trying to do)"
_DID = r"(?:did|do|worked on|finished|completed)"
_ADVERBS = r"(?: (?:just|last|actually|still|currently|supposed to be|meant to be))*+"
_STOPPED = (
    r"(?:left (?:it |things |this |that )?off|stopped|paused|were|was|broke off|ended|got to)"
)
_DAY = (
    r"(?: (?:yesterday|last night|last time|this morning|this afternoon|earlier today|last session"
    r"|the other day)(?: (?:morning|afternoon|evening|night))?)?"
)
_PAST_WORK = rf"what (?:is it |was it )?(?:that )?{_WHO} {_BE}{_ADVERBS} {_DOING}"
_LEFT = (
    rf"(?:where {_WHO} (?:last |had |just )?{_STOPPED}|there|here|before|earlier|yesterday"
    r"|last (?:time|night)|(?:the |our )?(?:last|previous) (?:step|point|one|checkpoint|session))"
)
_OBJECT = rf"(?:{_THE_WORK}|{_PAST_WORK}|what {_WHO} had|it|this|that|things|everything)"
_FOR = rf"(?: (?:for|on|with|in) (?:{_THE_WORK}|{_OWN} (?:list|agenda|side)|us|me|you|this|it))?"
_INTERRUPTION = (
    r"(?:restart|reset|crash|break|interruption|disconnect|disconnection|compaction|outage"
    r"|meeting|call|lunch|reboot|switch)"
)
_WHILE_AGO = (
    rf"(?:before (?:(?:(?:the|that|this|my) )?{_INTERRUPTION}|(?:i|we) (?:left|stopped|went"
    r"|restarted"
    r"|got (?:disconnected|cut off|interrupted))|this)|when (?:i|we) (?:left|stopped"
    r"|got (?:disconnected|cut off|interrupted))|in (?:the|our) (?:last|previous) session"
    r"|last (?:time|session))"
)
_AFTER = (
    rf"(?: (?:{_WHILE_AGO}|please|pls|plz|now|then|again|thanks|thank you|for me|here|today"
    r"|just now|earlier|before|so far|right now|at the moment|currently|exactly|ok|already|anyway"
    r"|though))*+"
)
_GO_ON = (
    r"(?:continue on|continue|go on|carry on|keep going|keep at it|keep on going|proceed|resume"
    r"|keep working|press on)"
)


def _rule(name: str, *ways: str, among: bool = False, alone: bool = True) -> Rule:
    return Rule(name=f"en_{name}", pattern=re.compile("|".join(ways)), among=among, alone=alone)


_RULES = (
    _rule(
        "pick_up",
        rf"(?:{_GO_ON}|start|restart"
        rf"|begin)(?: again)?(?:(?: with)? {_OBJECT})? (?:from )?{_LEFT}{_DAY}",
        rf"pick (?:{_OBJECT} )?(?:back )?up (?:again )?(?:from )?{_LEFT}{_DAY}",
        rf"pick (?:{_OBJECT} (?:back )?up(?: again)?|up {_THE_WORK})",
        rf"(?:go |get )?back to (?:{_OBJECT}|business|{_LEFT})",
        rf"return to {_OBJECT}",
        rf"finish (?:what|the thing) {_WHO} (?:{_BE} (?:doing|working on)|started|began)",
        among=True,
    ),
    _rule(
        "go_on",
        rf"{_GO_ON}(?:(?: with| on| to)? {_OBJECT})?",
        r"get (?:on with it|going again|back on track|back (?:in)?to it)|(?:finish|do) the rest",
    ),
    _rule(
        "where_stopped",
        rf"where (?:exactly )?(?:did|had|have|do) {_WHO} (?:last |just )?(?:leave|left)"
        rf" (?:(?:it|things|this|that) )?off{_DAY}(?: (?:on|with|in) [^|]{{1,80}})?",
        rf"where (?:exactly )?(?:did|had|have|do) {_WHO} (?:last |just )?(?:stop|stopped"
        rf"|leave (?:it|things|this)|got(?:ten)? (?:up )?to|get (?:up )?to|pause|break off|end up"
        rf"|finish|finished){_DAY}",
        rf"where {_WHO} (?:last |had |just )?(?:{_STOPPED}|are|got)(?: at)?{_DAY}",
        rf"where (?:were|was|are|am|is) (?:we|i)(?: at| up to)?{_FOR}",
        r"where (?:were|are) you (?:at|up to)",
        rf"how far (?:(?:did|have|had) {_WHO} (?:get|got|gotten|come)|(?:along )?{_BE} {_WHO})",
        r"where (?:do|did) (?:things|we) stand",
        rf"(?:at )?(?:what|which) (?:step|point|stage) (?:did|{_BE}|had) {_WHO}(?: stop| on| at"
        r"| in)?",
        rf"what (?:was|is) the last (?:thing|step|task) (?:that )?{_WHO} (?:{_DID}"
        rf"|{_BE} (?:doing|working on))",
        r"what (?:was|is) (?:our|my|your|the) last (?:step|task|action)",
        rf"what did {_WHO} (?:last do|do last)",
        among=True,
    ),
    _rule(
        "what_doing",
        rf"what (?:exactly |the heck |on earth )?(?:were|was) {_WHO}{_ADVERBS} {_DOING}",
        rf"what (?:exactly )?(?:(?:are|am) {_WHO}|(?:have|had) {_WHO} been){_ADVERBS} {_NOW_DOING}",
        _PAST_WORK,
        r"what (?:was|had|did) i (?:just |last )?(?:ask|asked|asking|tell|told|telling) you to do",
        rf"what (?:is|was) (?:the|our|my|your) (?:{_KIND} )?(?:task|objective|goal)"
        r"(?: at hand| in progress)?",
        rf"(?:what|which) task {_BE} (?:we|i|you) on",
        among=True,
    ),
    _rule(
        "what_next",
        rf"what (?:is |comes |should be )?(?:up )?next{_FOR}",
        r"what (?:is|was|are) (?:the|our|my|your) next (?:steps?|actions?|tasks?|thing|move|item"
        r"|job)"
        rf"(?: to (?:do|take)| (?:that )?{_WHO} (?:should|must|need to|have to) (?:do|take))?"
        rf"{_FOR}",
        rf"what (?:do|should|shall|must|can|will|are) {_WHO} (?:have to |need to |going to"
        r" |supposed to )?(?:do|tackle|work on|doing) next",
        r"what (?:do|should|shall) (?:we|i) do(?= now|$)",
        r"what (?:should|must|has to|needs to) be done(?: next)?|what needs doing(?: next)?",
        rf"what (?:should|must|will|has to|needs to|is supposed to) (?:happen|come) next{_FOR}",
        r"what is (?:the plan|on (?:the|our|my) (?:agenda|list|plate))",
        rf"what is (?:still )?(?:left|remaining|outstanding|pending|to do|to be done)"
        rf"(?: to (?:do|be done|finish))?{_FOR}",
        r"what remains(?: to (?:do|be done))?",
        rf"what (?:else )?(?:do {_WHO}|is there) (?:still )?(?:have |need )?(?:left )?to do",
        r"(?:is there )?(?:anything|something) (?:still )?(?:left|pending"
        r"|outstanding)(?: to (?:do|be done))?",
        r"(?:the )?next(?: steps?| task| action)?",
        r"(?:which|what) (?:step|task|one) (?:is|comes) next",
        r"what now|now what",
    ),
    _rule(
        "status",
        r"(?:status|progress)(?: update| report| check)?",
        r"(?:what|how) is (?:the|our|your) (?:current )?(?:status|progress"
        rf"|state)(?: of {_OBJECT})?",
        rf"how (?:is|are) (?:(?:it|things|everything|{_THE_WORK}) (?:coming along|progressing)"
        rf"|{_THE_WORK} going)",
        rf"what is (?:going on|happening) with {_THE_WORK}",
        rf"what have {_WHO} (?:done|finished|completed|accomplished|achieved)(?= so far| already)",
        rf"(?:give me an update|update me)(?: (?:on|about) {_OBJECT})?",
        rf"(?:catch|get|fill|bring) me(?: back)? (?:up|in)(?: to (?:speed|date))?"
        rf"(?: (?:on|with) (?:{_OBJECT}|where we {_BE}))?",
        rf"(?:give me )?(?:a |the )?(?:quick |short |brief )?(?:recap|summary|rundown|summari[sz]e"
        rf"|overview)(?: of)? (?:where {_WHO} (?:{_BE}|{_STOPPED})|{_PAST_WORK}"
        r"|(?:our|the) (?:progress|state|status))(?=$| (?:so|now|please))",
        r"(?:how much|what) is (?:already )?done(?= so far| already|$)",
    ),
    _rule(
        "back",
        r"(?:(?:i am|we are) )?back(?: (?:again|online|here|at (?:it|my desk)))*+"
        r"(?: from (?:lunch|dinner|breakfast|coffee|(?:the|my|a|that) (?:\w+ )?(?:break|meeting"
        r"|call"
        r"|lunch|walk|appointment|interruption)))?",
        r"(?:(?:i am|we are) )?reconnected",
    ),
    _rule(
        "cut_off",
        r"(?:(?:i|we|you) )?(?:(?:just|was|were|got|have been|had been|been) )*+(?:disconnected"
        r"|cut off|interrupted|kicked (?:out|off)|sidetracked)(?: of (?:the|my|our) session)?",
    ),
    _rule(
        "interruption",
        r"(?:(?:the|my|our|this|your) )?(?:\w+ )?(?:connection|session|gateway|terminal|network"
        r"|internet|wifi|wi-fi|vpn|laptop|computer|pc|machine|browser|tab|window|app|chat"
        r"|conversation|context|editor|server|power|shell|ssh|line|host|client)"
        r"(?: (?:just|has|had|have|was|were|is|got|suddenly))*+ (?:dropped|died|crashed|restarted"
        r"|rebooted|reset|went (?:down|out|away|dead|off)|timed out|lost|cut (?:off|out)|broken?"
        r"|closed|disconnected|failed|interrupted|killed|compacted|cleared|hung|froze|gone)"
        r"(?: (?:on me|for a (?:moment|second|minute|while|bit)|briefly|there))?",
        r"(?:(?:i|we) )?lost (?:the |my |our )?(?:connection|context|session|signal|network"
        r"|internet|wifi|power|track)",
        r"i had to (?:restart|reboot|reconnect|step away|leave|go|reset)",
        r"i interrupted you|sorry (?:about (?:that|this)|for the (?:delay|interruption|wait))"
        r"|thanks for waiting",
        r"(?:new|fresh) (?:session|chat|conversation)",
        rf"after (?:the|that|this|a) {_INTERRUPTION}",
        r"(?:why did )?you (?:just )?(?:stopped|stop|paused|timed out)",
        alone=False,
    ),
)

ENGLISH = Language(
    rules=_RULES,
    before=re.compile(
        r"(?:(?:go ahead and|ok|okay|k|yes|yeah|yep|yup|sure|alright|all right|right|well|so|and"
        r"|but|now|then|hey"
        r"|hi|hello|hmm|um|uh|please|pls|plz|sorry|thanks|thank you|great|cool|good|perfect|just"
        r"|also|anyway|good (?:morning|afternoon|evening)|morning|(?:can|could|would|will|should"
        r"|shall"
        r"|may) (?:you|we|i)|let's|let us|(?:i|we) (?:want|need|have)(?: you)? to|(?:i|we) would"
        r" like(?: you)? to|(?:we|you) (?:should|can)|time to|(?:do|can"
        r"|could) you (?:still )?(?:remember"
        r"|recall|know|tell me|remind me)(?: of)?|remind me(?: of)?|tell me|show me|i (?:forgot"
        r"|forget)"
        r"|i (?:can't|do not|don't) remember|i am not sure)(?: |$))+"
    ),
    after=re.compile(_AFTER),
    end=re.compile(r"(?= |$)"),
    material=re.compile(
        r"(?:please |can you |could you )*+(?:translate|write|rewrite|rephrase|correct|proofread"
        r"|define"
        r"|explain|compose|paraphrase|say|pronounce|what does)\b|.*\b(?:song|lyrics|movie|novel"
        r"|means?)\b"
    ),
)

# Contractions, with and without their sign; a word that is one in any sentence is left alone.
LONG_FORMS = (
    (
        re.compile(
            r"\b(what|where|how|who|that|there|it|here)(?:'s|s(?= (?:next|left|now|the|our|up)\b))"
        ),
        r"\1 is",
    ),
    (re.compile(r"\b(we|you|they|what|where|how|who)'re\b"), r"\1 are"),
    (re.compile(r"\b(what|where|how|we|you|i)'d\b"), r"\1 did"),
    (re.compile(r"\b(we|you|i|they)'ve\b"), r"\1 have"),
    (re.compile(r"\b(?:i'm|im)\b"), "i am"),
    (re.compile(r"\blets\b"), "let's"),
)
