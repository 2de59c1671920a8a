"""How people report in English that something is done, as data. Pure. Over lower-case text."""

# Regular verbs are known by their form and what stands in front of it, but for these.
_NO_ACTS = (
    r"(?!(?:used|based|supposed|required|expected|called|named|allowed|designed|intended|limited"
    r"|located|related|involved|interested|deprecated|recommended|preferred|considered|assumed"
    r"|needed|wanted|need|speed|proceed|exceed|embed|feed|seed|shed|concerned|unchanged|scared"
    r"|indexed by|followed by|seemed|appeared|happened|stopped|delayed|postponed|skipped|cancelled"
    r"|canceled|ignored|missed|crashed|timed|refused|denied|declined)\b)"
)
DONE = (
    r"(?:\b(?:i|we|it|they|is|are|was|were|been|has|have|had|now|already|just|also|all"
    r"|successfully)"
    rf" (?:\w+ly )?|'ve (?:now |also |already |just )*|^\W*(?:(?:and|then|also|now) )*)"
    rf"{_NO_ACTS}[a-z]{{2,}}ed\b"
    r"|\b(?:done|finished|completed|complete|sent|shipped|published|deployed|merged|pushed|released"
    r"|fixed|resolved|closed|implemented|migrated|passed|passes|pass|succeeded|delivered|submitted"
    r"|uploaded|installed|created|written|wrote|added|removed|deleted|updated|committed|ran|run"
    r"|built|copied|moved|renamed|replaced|converted|tested|verified|checked|reviewed|approved"
    r"|signed|posted|printed|booked|ordered|paid|set up|cleaned up|rolled out|went out|is live"
    r"|are live|is up|generated|exported|imported|refactored|rewritten|documented|configured"
    r"|reserved|bought|switched|runs|split|cut|found|sped up|rewrote|made|undid|upgraded|launched"
    r"|executed|patched"
    r"|prepared|changed|edited"
    r"|compared|downloaded|synced|proofread)\b"
)
# The form of a done word that also asks for it: it reports only behind something done.
COMMAND = (
    r"^\W*(?:please |now |then |first |next |also )*+(?:run|complete|pass|finish|set up|clean up)\b"
)
# In the clause itself.
NOT_DONE = (
    r"\b(?:not|never|cannot|can't|without|unable|failed|fails?|failing|failure|almost|nearly|partly"
    r"|partially|half|mostly|except|hardly|barely|no longer|none|nobody|nothing|incomplete"
    r"|unfinished"
    r"|unsent|rejected|reverted|broken|pending|remaining|remains|left|blocked|stuck|waiting|tried"
    r"|trying|attempted|will|would|shall|should|could|may|might|must|can|going to|gonna|to be"
    r"|needs?"
    r"|has to|have to|had to|want|wants|plans? to|plan(?=:)|planned|about to|ready to|soon"
    r"|tomorrow|later"
    r"|tonight|next(?!\.\w)|todo(?=\s*(?:[:\u2013-]|$))|to do|let me|let's|let us|i'll|we'll|it'll"
    r"|please|supposed|expected"
    r"|in progress"
    r"|started|starting|begin|began|yet|still|some of|most of|part of|only|\d{1,2} ?%|\d+ (?:of"
    r"|out of)"
    r" \d+|\d+/\d+)\b|n't\b"
)
# In the sentence around it.
CONDITION = (
    r"\b(?:if|when(?! [a-z]+ing\b)|once|unless|until|after|before|whenever|as soon as|assuming"
    r"|provided|in case"
    r"|whether|suppose)\b"
)
ALL_DONE = (
    r"(?:(?:and|so|ok|okay|great|now|that means|with that|finally) )*+(?:all done|all set and done"
    r"|(?:all|every)(?: of)?(?: the| these| our)? ?(?:steps?|tasks?|items?|work|parts?|points?"
    r"|todos?)?"
    r" ?(?:are|is|have been|has been|now)? ?(?:now )?(?:done|complete|completed|finished)"
    r"|everything(?:'s| is| has been)?(?: now)? (?:done|complete|completed|finished)"
    r"|(?:the |this |our )?(?:whole |entire )?(?:task|work|job|project|migration|thing)(?:'s| is"
    r"| has been)?(?: now)?"
    r" (?:done|complete|completed|finished)|we(?:'re| are)(?: all| now)*+ done|mission accomplished"
    r"|that(?:'s| is) (?:all|everything) done|(?:task|work|job) (?:complete|completed|done))"
    r"(?: now| here| as planned| successfully)?"
)
# Later words that take a report back, where they speak of the same thing.
TAKEN_BACK = (
    r"\b(?:failed|bounced|came back|returned|reverted|rolled back|undone|redo|reopen(?:ed)?|resend"
    r"|again|broke|broken|wrong|rejected|cancel(?:led|ed)|not (?:done|finished|sent|complete)"
    r"|incomplete|still (?:open|missing|pending|not))\b"
)

# Done whatever the work was; behind a verb of its own ("done reading") it is about that verb.
FINISHED = (
    r"\b(?:done|finished|completed?|completes|closed"
    r"|succeeded)\b(?: with)?(?: (?P<verb>[a-z]+ing)\b)?"
)
# Ways to act, each in the forms that ask for it and that report it.
_ACTS = {
    "send": (
        r"send(?:ing)?|sent|mail(?:ed|ing)?|e-?mail(?:ed|ing)?|submit(?:ted|ting)?"
        r"|deliver(?:ed|ing)?|forward(?:ed|ing)?|went out"
    ),
    "publish": (
        r"publish(?:ed|ing)?|releas(?:e|ed|ing)|ship(?:ped|ping)?|launch(?:ed|ing)?"
        r"|deploy(?:ed|ing)?|(?:is|are|went) live|go live|roll(?:ed)? out|post(?:ed|ing)?"
    ),
    "write": (r"writ(?:e|ing|ten)|wrote|document(?:ed|ing)?"),
    "run": (
        r"run(?:ning|s)?|ran|execut(?:e|ed|ing)|start(?:ed)?|launch(?:ed)?|pass(?:ed|es)?"
        r"|succeeded"
    ),
    "fix": (
        r"fix(?:ed|ing)?|resolv(?:e|ed|ing)|repair(?:ed|ing)?|patch(?:ed|ing)?"
        r"|debug(?:ged|ging)?|solv(?:e|ed|ing)"
    ),
    "move": (
        r"migrat(?:e|ed|ing|ion)|mov(?:e|ed|ing)|port(?:ed|ing)?|convert(?:ed|ing)?"
        r"|upgrad(?:e|ed|ing)|switch(?:ed|ing)?|transfer(?:red|ring)?"
    ),
    "make": (
        r"add(?:ed|ing)?|creat(?:e|ed|ing)|buil[dt]|building|implement(?:ed|ing)?|ma[dk]e|making"
        r"|introduc(?:e|ed|ing)|set(?:ting)? up|install(?:ed|ing)?|configur(?:e|ed|ing)"
        r"|generat(?:e|ed|ing)|prepar(?:e|ed|ing)"
    ),
    "change": (
        r"updat(?:e|ed|ing)|chang(?:e|ed|ing)|replac(?:e|ed|ing)|renam(?:e|ed|ing)"
        r"|edit(?:ed|ing)?|refactor(?:ed|ing)?|rewrit(?:e|ten|ing)|swap(?:ped)?|adjust(?:ed)?"
    ),
    "remove": (r"remov(?:e|ed|ing)|delet(?:e|ed|ing)|drop(?:ped|ping)?|clean(?:ed|ing)? up"),
    "check": (
        r"check(?:ed|ing|s)?|test(?:ed|ing|s)?|verif(?:y|ied|ying)|review(?:ed|ing)?"
        r"|validat(?:e|ed|ing)|compar(?:e|ed|ing)|pass(?:ed|es)?|proofread"
    ),
    "copy": (
        r"cop(?:y|ied|ying)|export(?:ed|ing)?|import(?:ed|ing)?|upload(?:ed|ing)?"
        r"|download(?:ed|ing)?|sync(?:ed)?|back(?:ed)? up"
    ),
    "merge": (r"merg(?:e|ed|ing)|push(?:ed|ing)?|commit(?:ted|ting)?|rebas(?:e|ed)"),
    "buy": (r"book(?:ed|ing)?|order(?:ed|ing)|pa(?:y|id|ying)|b(?:uy|ought)|reserv(?:e|ed)"),
    "approve": (r"approv(?:e|ed|ing)|sign(?:ed|ing)?|accept(?:ed)?"),
}
ACTS = {name: rf"\b(?:{words})\b" for name, words in _ACTS.items()}
