"""What agents write in English in front of a decision, a plan or a hindrance, as data. Pure.

Whole labels, without the sign behind them; patterns in any case.
"""

DECIDED = (
    r"(?:as |already |(?:the )?(?:key |main |design |final |our |other |technical |important ))?"
    r"(?:decisions?|decided|agreed|agreements?|resolved to)(?: (?:made|taken|today|log))?\b"
    r"|what (?:i|we)(?:'ve| have)? decided\b(?: along the way)?"
)
NEXT = (
    r"(?:(?:the |your |my |our |immediate |recommended |suggested |possible |proposed )?next"
    r"(?: (?:steps?|actions?|up|tasks?|thing|in line|on the list))?|up next|coming up"
    r"|what(?:'?s| is| comes) (?:next|left|remaining|still open)"
    r"|(?:the )?remaining(?: (?:steps?|work|tasks?|items?|todos?))?"
    r"|to-?dos?(?: list)?|to do|still (?:to do|open|missing|to come)|left(?: to do)?|what remains"
    r"|follow-?ups?|(?:open|outstanding|pending)(?: (?:items?|tasks?|points?|work|todos?))?"
    r"|action items?)\b"
)
BLOCKED = (
    r"(?:(?:i'm|i am|we're|we are|it's|still|currently|now) )?(?:(?:current|open|known|main|only"
    r"|remaining) )?(?:blocked(?: (?:by|on))?|blocking(?: issues?)?|blockers?"
    r"|waiting (?:on|for)|stuck(?: (?:on|at))?|impediments?|obstacles?)\b"
)
STATUS = (
    r"(?:(?:the |current |overall |project |latest )?(?:status|progress)"
    r"(?: (?:update|report|so far|now))?|current (?:state|step)|where (?:we|things|it|i) (?:are|am"
    r"|stands?)(?: now)?"
    r"|(?:executive |short |final )?summary|tl;?dr|in short|in summary|so far|results?|outcome"
    r"|(?:the )?(?:root )?cause|findings?|diagnosis|conclusion)\b"
)
DONE = (
    r"(?:(?:all |already )?done(?: so far| now| today)?|completed(?: (?:so far|work|tasks?"
    r"|items?))?"
    r"|finished|accomplished|implemented|achieved|what (?:is|was|has been|i(?:'ve)?|we(?:'ve)?)"
    r" (?:done|did|changed|completed|implemented)|what'?s (?:done|changed|new)|what changed"
    r"|(?:key |main )?changes(?: (?:made|applied))?)\b"
)
# What is to be done, all of it, before it begins.
PLAN = (
    r"(?:(?:the |my |our |here(?:'s| is) (?:the|my|our|a) )?(?:implementation |proposed |rough )?"
    r"plan)\b"
)
