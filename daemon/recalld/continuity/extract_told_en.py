"""Where English says what is done, decided, next and in the way. Pure.

Patterns for one sentence or clause, in any case.
"""

from recalld.continuity.extract_en import VERB

_I_WILL = (
    r"(?:i|we)(?:'ll| will|'m going to|'re going to| am going to| are going to| want to| plan to"
    r"| intend to|'d like to| would like to)"
)
_NO_PLAN = (
    r"(?!(?:know|be (?:happy|glad|able|here|there)|help|explain|wait|assume|see|say|think|try my"
    r"|do my|need your|keep you|also be|leave (?:it|that|this) (?:to|here|there|as)|show you)\b)"
)
# Named as what comes next.
NEXT = (
    r"\W*(?:(?:and|so|then|now|but)[\s,]+)*+"
    rf"(?:next(?= (?:{_I_WILL}|let me|{VERB}(?! (?:is|was|will|comes|notes?)\b))\b)"
    r"|(?:the )?next(?: (?:steps?|actions?|thing|tasks?|up))?(?:\s*,| (?:is|are|will be"
    r"|comes)\b(?: to\b)?))"
    rf"\s*(?:{_I_WILL}|let me)?\s*(?:now |then |also )*+(?P<after>.*)"
    r"|\W*what(?:'s| is| remains)(?: left| next| missing)? (?:is|are)(?: to)? (?P<left>.*)"
    rf"|\W*(?:(?:and|so|then|now|but)[\s,]+)*+(?:{_I_WILL}|let me) {_NO_PLAN}(?P<last>.*?)"
    r",? next\W*$"
    r"|\W*(?:(?:and|so|then|now|but)[\s,]+)*+(?:i|we) still (?:need|have) to (?P<need>.*)"
    r"|\W*it (?:only |still )?remains to (?P<remains>.*)"
    r"|\W*(?:(?:and|so|then|now|but)[\s,]+)*+(?:(?:now |then )?only )(?P<only>.{3,}?)"
    r" (?:is|are) (?:still )?(?:left|missing|open|to do)\W*$"
    r"|\W*(?:(?:and|so|then|now|but)[\s,]+)*+(?P<comes>[^,;]{3,80}?) (?:is|are|comes?) next\W*$"
)
# A plan, which may be the way to what is told behind it.
PLAN = (
    r"\W*(?:(?:then|after that|now|afterwards|and|so|once that is done|with that done"
    rf"|in the meantime|first)[\s,]+)*+(?:{_I_WILL}|let me|we need to|i need to|we should)"
    rf" (?:now |next |then |also |still )*+{_NO_PLAN}(?P<plan>.*)|\W*now (?P<now>{VERB}\b.*)"
    r"|\W*(?:now,? (?!running\b|working\b|using\b|being\b|having\b|going\b|waiting\b|nothing\b"
    r"|every|something\b|according\b)(?P<doing>[a-z]{3,}ing (?!now\b).*)"
    r"|(?:now )?(?:starting with|moving on to|continuing with) (?P<with>.*))"
)
# What an agent asks to be allowed.
OFFER = (
    r"\W*(?P<offer>(?:(?:shall|should|can|may) (?:i|we)|(?:do you |would you )?(?:want|like) me to"
    r"|would you like me to) (?!know\b|help\b|explain\b|elaborate\b|clarify\b|show\b|also help\b"
    r"|assist\b|(?:(?:begin|start|proceed|continue|go (?:ahead|on)|do (?:it|that|this|so)|implement"
    r"|implementing|coding|working|with|on|it|that|this|now)[\s,.!?]+)+$).{3,}\?"
    r"|ready (?:to|for you to) (?:start|begin|proceed|continue|implement|move on|go on|merge"
    r"|deploy|ship|push|commit|release|publish|roll out|run|test)\b.{3,})"
)
DECIDED = (
    r"(?:(?:we|i|they|you)(?:'ve| have| had)? (?:now |also |just |all |finally "
    r"|already )*(?:decided|agreed|chose|settled|picked|opted)(?! whether| if\b"
    r"| yet)|(?:^|\W)decided (?:to|on|against|that|not)|(?:it|that) (?:is|was) (?:decided|agreed)"
    r"|(?:let's|we'll|we will|we're going to|we are going to|i'll|i will) (?:go with|stick with"
    r"|stick to|stay with|drop|settle for)"
    r"|(?:we'll|we will|we're going to|we are going to) (?:use|keep|not use)"
    r"|(?:^|we're |we are |i'm |i am |are |so )going with|went with)\b"
)
# Said by a user, it is decided.
_POLITELY = r"\W*(?:(?:please|then|ok|okay|and|so|but|yes|no|actually|sorry|hm+|well)[\s,]+)*+"
CHOSEN = (
    rf"{_POLITELY}(?:(?:let's|we|you should|just|better|rather)[\s,]+)*+(?:(?:use|keep|go with"
    rf"|go for"
    r"|stick (?:with|to)|stay with|prefer)\s+\S+.*"
    # More words than these are a piece of work.
    r"|(?:leave out|skip|drop|take(?! (?:an?|care|your|it|into)\b)|avoid|postpone|exclude|include"
    r"|ignore|pick|choose)(?: \S+){1,7}\W*$)"
    rf"|{_POLITELY}(?:(?:don't|do not|never) (?!worry\b|forget\b|know\b|mind\b|stop\b|care\b"
    rf"|think\b"
    r"|understand\b|bother\b|see\b)|always )\w+\s+\S+.*"
    rf"|{_POLITELY}(?:(?:let's|i'd say|do|take)[\s,]+)*+(?:the )?(?:option|variant|approach|plan"
    r"|solution|version|alternative) (?:no\.? ?)?(?:\d|[a-f]\b|one|two|three).*"
    r"|\W*no (?!problem|worries|thanks|idea|need|rush|one\b|way|matter)\w+(?: \w+){0,3},\s*\w+ .*"
    r"|.*,\s*(?:and |but |so )?let's (?:use|keep|go with|go for|stick with|skip|drop|leave out"
    r"|postpone)\s+\S+.*"
)
# What was to be done is not to be any more.
CANCELLED = (
    r"\b(?:(?:not|no longer|isn't|aren't|never) (?:needed|necessary|required|wanted)|unnecessary"
    r"|obsolete|moot|superseded|called off|cancell?ed)\b"
    r"|^\W*(?:(?:please|ok|okay|actually|no|then|let's|we|can|just)[\s,]+)*+(?:skip|drop|leave out"
    r"|forget(?: about)?|never mind|cancel)\b"
)
# Somebody changes their mind, or puts one thing in the place of another.
TURNED = (
    r"\b(?:actually|on second thoughts?|change of plan|changed my mind|instead|rather than"
    r"|no longer|scrap|switch(?:ed|ing)?(?: back)? to|revert(?:ed|ing)?(?: back)? to|replace"
    r"|in place of|after all|overrule|not any ?more)\b"
)
# What is not to be, behind the words that say so.
REJECTED = (
    r"(?:\b(?:instead of|rather than|in place of|no longer|not any ?more|drop|scrap|stop using"
    r"|away from)|,\s*not)\s+(?P<rejected>[^,.;:()]+)"
)
NEGATED = (
    r"\b(?:don't|do not|doesn't|does not|won't|will not|never|not (?:to|use|keep)|no longer|avoid"
    r"|skip|drop|stop|without)\b|^\W*no\b"
)
UNDECIDED = (
    r"\b(?:haven't|hasn't|hadn't|(?:have|has|had|is|was|are) not(?: been)? (?:yet )?(?:decided"
    r"|agreed|settled|chosen)|not yet|yet to|whether|should we|could|might|maybe|perhaps|unless"
    r"|would|undecided|to be decided|if|in case)\b"
)
BLOCKED = (
    r"(?:\b(?:is |are |am |still )?blocked (?:by|on|until)|(?:i'm|i am|we're|we are|it's|it is"
    r"|still|currently) blocked\b|\bblocks (?:us|me|the (?:release"
    r"|rollout|deploy\w*|merge|work|progress|rest|next|launch|migration|upgrade))\b"
    r"|(?:i'm|i am|we're|we are|still|currently|is|are|(?:^|[,;])\s*(?:but )?) ?waiting (?:for"
    r"|on)\b"
    r"|\bstuck (?:on|at|because|with|until)\b"
    r"|\bcan(?:'t|not) (?:proceed|continue|go on|go further|move on|go ahead|get further)\b"
    r"|\b(?:i|we|you)(?:'d| would)? (?:still )?(?:need|lack|miss)(?:s)? (?:your |the |an? |some"
    r" )?(?:\w+ )?(?:access|approval|credentials?|permissions?|sign-?off|password|api keys?"
    r"|confirmation)\b|\bneeds your\b"
    r"|\b(?:i|we) (?:still |currently )?(?:have no|don't have|do not have|lack|haven't got|miss)"
    r" (?:\w+ ){0,3}?(?:access|credentials?|permissions?|api keys?|keys?|tokens?|approval)\b)"
)
# Nothing is in the way at all.
NOTHING_BLOCKS = (
    r"\bno (?:open |known |more |current |further )?blockers?\b|\bunblocked\b"
    r"|\bnothing (?:is |else )?(?:blocks|blocking|blocked|in the way)\b"
)
# What programs do to one another is not in the way of the work.
MACHINERY = (
    r"\b(?:requests?|calls?|users?|ips?|ports?|threads?|traffic|quer(?:y|ies)|sockets?|events?"
    r"|loop|browser"
    r"|scripts?|images?|cookies?|pop-?ups?|ads?|process(?:es)?|coroutines?|render\w*|e-?mails?"
    r"|messages?"
    r"|writes?|reads?|workers?|connections?|logins?|clients?|accounts?|bots?)\s+(?:that\s+)?(?:is"
    r"|are|was"
    r"|were|gets?|get|got|being|been|stay|can be|will be)?\s*(?:now |still )?(?:blocked|waiting"
    r"|stuck)\b"
)
# In front of what work is stuck on.
STUCK = (
    r"\W*(?:(?:i'm|i am|we're|we are|it's|still|currently|now)\s+)*+blocked\s*[:\u2013\u2014-]+\s*"
)
UNBLOCKED = (
    r"\b(?:no longer|unblocked|not blocked|nothing (?:is|blocks)|no blockers?|no longer blocked"
    r"|was blocked|were blocked|had been|was waiting|were waiting|was stuck|were stuck)\b"
)
# What was in the way is there, done or away: of this one word of it is enough, of the rest half.
ARRIVED = (
    r"\b(?:arrived|received|granted|approved|unblocked|resolved|solved|is (?:here|ready|available"
    r"|back|there|in (?!progress\b|doubt\b|conflict\b|the way\b|use\b)|on (?!hold\b|the way\b)"
    r"|up again"
    r"|open(?:ed)?|live|attached|below)|are (?:here|ready|available|back|there"
    r"|in (?!progress\b|doubt\b|conflict\b|the way\b|use\b)|open|attached|below)|came (?:in|back"
    r"|through)|went through"
    r"|(?:is|are|was) (?:fine|okay?|cleared|settled|sorted)|said (?:yes|ok)|says? (?:yes|ok)"
    r"|(?:green light|go-ahead) (?:came|is there|from)"
    r"|confirmed|renewed|signed off|has (?:sent|given|answered|replied)|sent (?:me|us|it|you|the)"
    r"|here(?:'s| is| are)|got the|gave (?:me|us|you)|landed|let (?:me|us|you) in)\b"
)
CLEARED = (
    r"\b(?:(?:i|you|we|he|she|they|everybody|everyone)(?:'ve)? (?:now |already |finally )*(?:have"
    r"|has"
    r"|got)\b(?! (?:to|no|not|been|lost)\b)|works?|working|passe[sd]|pass|fixed"
    r"|can (?:now )?(?:access|reach|log in|connect|use|open)|exists?|installed|merged|released"
    r"|delivered|signed|opened|created|done)\b"
)
NOT_CLEARED = (
    r"\b(?:no|not|never|still|yet|until|once|when|if|as soon as|waiting|without|will|would|should"
    r"|could|may|might|need|needs|must|lacks?|missing|cannot|tomorrow|soon|after|expired|rejected"
    r"|denied|refused|wrong|broken|failed|fails|invalid|revoked|lost|blocked)\b|n't\b"
)
# It waits for a word of the user, and every answer is one.
FOR_USER = (
    r"\b(?:your (?:\w+ )?(?:approval|confirmation|decision|answer|reply|input|go-?ahead|ok|okay"
    r"|feedback|choice|review|sign-?off|call)|(?:for|on) you (?:to|before)|you to (?:decide|confirm"
    r"|choose|approve|pick|say))\b"
)
_IRREGULAR = (
    r"(?:found|wrote|ran|set|made|built|put|got|began|sent|went|took|came|chose|broke|drew|gave"
    r"|kept"
    r"|left|lost|met|rose|fell|grew|sold|saw|spent|split|stood|held|brought|bought|caught|cut|hit"
    r"|did|had|became|shrank|drove|dealt|fed|hid|led|read|rewrote|sped up|shut|spoke|threw|told"
    r"|undid|won|wound)"
)
UNDERWAY = (
    rf"\b(?:(?:i|we|it|they|both|all)(?:'ve| have| has)? (?:now |also |just "
    rf"|already )*(?:\w{{3,}}ed"
    rf"|{_IRREGULAR})"
    r"|crashed|hung|aborted|timed out|currently|so far|in progress|halfway|is running"
    r"|are running|now (?:at|on|running|working)"
    r"|started|found that|went (?:from|through|up|down)|dropped|fell|rose|grew|shrank"
    r"|now|no longer|works?|compiles?|builds?|renders?|loads?|responds?|answers?|reproduces?|runs?"
    r"|parses?"
    r"|(?:is|are) (?:now|in place|ready|live|up|back|green|red|wired|connected|gone|unchanged)"
    r"|instead of \d|\d+ (?:of|out of) \d+|passes|pass|fails|failing|failed|differ"
    r"|(?:is|are|was|were) (?!used\b|called\b|named\b|based\b|needed\b|required\b|supposed\b"
    r"|allowed\b|meant\b|known\b|expected\b|limited\b|designed\b|intended\b|recommended\b)"
    r"(?:\w+ly )?(?:\w{2,}ed|spent|made|kept|gone|drawn|chosen|shown|taken|given|held|stored))\b"
    r"|\d ?%"
)
# What was found out.
FINDING = (
    r"\b(?:(?:root )?cause (?:is|was)|(?:the )?(?:problem|issue|bug|culprit|reason|bottleneck"
    r"|fault) (?:is|was|lies)|turns out|turned out|it is because|caused by|c[oa]mes? from|stem(?:s"
    r"|med) from"
    r"|(?:can|could) reproduce|reproduced)\b"
)
# Looking around is less to tell than what came of it.
LOOKED = (
    r"\W*(?:(?:i|we)(?:'ve| have)? )?(?:now |also |just |already |first )*(?:looked|read|checked"
    r"|examined"
    r"|searched|opened|reviewed|went through|inspected|scanned|listed|explored|started|understood"
    r"|noticed|considered|found the file|tried|reproduced)\b"
)
# In an answer to a question, this alone tells of the work.
TOLD = (
    rf"\b(?:(?:i|we)(?:'ve| have| also| just| already| now)* (?:\w{{3,}}ed|{_IRREGULAR})"
    r"|(?:has|have) been|(?:is|are) (?:now|all|already)|all \d+|\d+ (?:of|out of) \d+"
    r"|now|so far|currently)\b|^\W*(?:yes|no|done|not yet)\b"
)
# All that is said of something done, in front of what it is.
BARE = (
    r"\W*(?:(?:yes|all|ok|okay|great|perfect|now|it's|it is)[\s,]+)*+(?:done|fixed|updated|added"
    r"|removed"
    r"|changed|renamed|created|implemented|switched|moved|replaced|merged|pushed|committed|reverted"
    r"|deployed|resolved|cleaned up|written|finished|complete|completed)\W*"
)
# What would be, and what is not so yet.
SUPPOSED = (
    r"\b(?:would|could(?! (?:reproduce|confirm|verify)\b)|might|(?<!in )(?<!on )may(?! \d)|should"
    r"|must|shall|can be|suppose|probably|perhaps|maybe|likely|recommend|suggest|consider|to be)\b"
)
# What is so only where something else is.
CONDITIONAL = (
    r"\W*(?:(?:and|but|so|then|also|only)[\s,]+)*+(?:if|unless|once|when(?:ever)?|as soon as"
    r"|in case|assuming|provided|until)\b"
)
FILLER = (
    r"\W*(?:of course|certainly|absolutely|thanks?|thank you|you're (?:welcome|right)|happy to"
    r"|bye\b|see you|cheers|let me know|feel free|is there anything|anything else"
    r"|i hope|hope this|sorry|i apologi[sz]e|here(?:'s| is| are) (?:a|an|the|how|what|my|some)\b"
    r"|(?:now )?i (?:now )?(?:see|understand|have (?:a|the|everything|all|enough)|get it)\b"
    r"|(?:i'm |i am )?glad\b|my pleasure|any ?time\b|no (?:problem|worries)|enjoy\b"
    r"|you (?:said|wrote|asked|mentioned|told|want|have|can|could|should|need|may|might|will)\b"
    r"|noted\W*$|will do\W*$|(?:i'll|i will|we'll) wait\b|(?:i'm |i am )?waiting for you\b"
    r"|good (?:morning|night|evening|luck|question|idea|point|catch|news))\b.*"
)
# Said to be polite, in front of what is said.
POLITE = (
    r"\W*(?:(?:sure|ok|okay|great|got it|understood|perfect|excellent|alright|all right|right|yes"
    r"|good|thanks|absolutely|of course|certainly|sorry"
    r"|noted|nice)(?: thing)?\s*[,.!:\u2013\u2014-]+\s*)++"
)
# A word of thanks or of leave, which answers nothing.
THANKS = (
    r"\W*(?:thanks?|thank you|thx|great|nice|cool|perfect|awesome|good (?:night|job|work)"
    r"|well done|bye"
    r"|see you|later|that's (?:all|it)|enough|not now|tomorrow|(?:let's )?stop(?: here)?)\b"
)
# A question that asks for work, not for words.
ASKS_WORK = (
    r".*\b(?:(?:can|could|would|will) (?:you|we)|please|let's)\b(?!.{0,30}\b(?:explain|tell"
    r"|describe|clarify"
    r"|elaborate|remind|understand|think|say|know|what|why|how|summari[sz]e|list|show)\b)"
)
# Clauses of one sentence.
CLAUSE = (
    r"\s*(?:[,;]|\s[\u2013\u2014-])\s+(?:(?:and|but|so|then|though|yet)\s+)*"
    r"|:\s+(?=(?:i'll|we'll|i will|we will|let me)\b)"
    r"|\s+(?:but|though|and (?=(?:next|i'll|we'll|i will|we will)\b))\s*"
)
# What the user is told to do.
ORDER = (
    r"\W*(?:(?:please|now|then|first|just|simply|you (?:can|should|may|need to))[\s,]+)*+"
    rf"{VERB}\s+(?:the|an?|your|this|that|these|those|it|them|all|both|with|again|to|one|two|¤)"
)

# One of these is in all that plans, blocks or decides.
PLAN_MARKS = (
    "now ", "only ", "starting with ", "moving on ", "continuing with ",
    "next", "will ", "'ll ", "going to ", "want", "plan to ", "intend to ", "let me ", "need to ",
    "have to ", "should", "remains to ", "what's", "what is", "what remains", "shall ", "can i",
    "can we", "may i", "may we", "like me to", "ready ",
)  # fmt: skip
BLOCKED_MARKS = (
    "block", "waiting ", "stuck ", "'t proceed", "not proceed", "'t continue", "not continue",
    "'t go ", "not go ", "go further", "move on", "get further", "access", "approv", "credential",
    "permission", "sign-off", "signoff", "password", "api key", "keys", "token", "confirmation",
    "needs your", "impediment", "obstacle",
)  # fmt: skip
DECIDED_MARKS = (
    "decid", "decision", "agree", "chose", "settled", "settle for", "picked", "opted", "go with",
    "going with", "went with", "stick ", "stay with", "drop", "will use", "'ll use", "will keep",
    "'ll keep", "to use", "to keep", "not use", "resolved to",
)  # fmt: skip
# At the end of what leads to a list.
LEADING = r"\s+(?:with|including|as follows|namely|are|is|in|to)$"
# Said of a decision that is none yet.
PENDING = (
    r"\W*(?:(?:is |are )?(?:still |yet )?(?:open|pending|undecided|tbd|unclear|none|to be (?:made"
    r"|decided"
    r"|discussed|confirmed)|not (?:yet )?(?:made|taken|decided|final)|needed"
    r"|up to you))(?: yet)?\W*"
)
