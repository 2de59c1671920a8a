"""How users and agents tell in English how far a step is, as data. Pure.

Patterns for one sentence or clause, in any case.
"""

# What a user says who lets the agent go on with it, but not now, or who only asks how it goes.
HOLDS = (
    r"\b(?:later|not (?:now|yet)|wait|hold on|stop|tomorrow|first|before (?:that|you|we)|don't"
    r"|do not|instead|why|what|how|where|who|when|status|progress|news|updates?|and now|done yet"
    r"|no|nope|never ?mind)\b"
)
# Of work that is not at its end.
UNFINISHED = (
    r"\b(?:still|so far|in progress|underway|under way|halfway|half|running|started|starting|remain"
    r"|remains|remaining|left (?:to|is|are)|(?:is|are) left|to go|yet|failed|failing"
    r"|fails?(?!\b.{1,40}\band (?:it )?pass(?:es)?\b)|failures?|crash(?:ed|es)?"
    r"|timed out|times out|aborted|error(?:s|ed)?(?! rate)|cannot|can't|couldn't|could not|unable"
    r"|waiting|blocked|stuck|pending|almost|nearly|partly|partially|most of|some of|not all"
    r"|except|needs?|must|should|(?!(?P<all>\d+) (?:of|out of) (?P=all)\b)\d+ (?:of|out of) \d+)\b"
    r"|\b\d{1,2} ?%(?! (?:faster|slower|smaller|less|more|lower|higher|better))"
)
# A question after the state of the work, whose answer reports it.
ASKS_STATE = (
    r"\W*(?:(?:and|so|ok|okay|hey|hi)[\s,]+)*+(?:(?:what's|what is|any|the|current) )*+"
    r"(?:status|progress|news|updates?|(?:and )?now"
    r"|how(?:'s| is| are)(?: it| things| that| the \w+)? (?:going|coming along|doing|looking)"
    r"|how far(?: along)?(?: are (?:we|you)| is it)?"
    r"|(?:is it |are (?:we|you) |all )?(?:done|ready|finished)(?: yet| now)?"
    r"|did (?:it|that|they) (?:work|pass|finish|help|run))\b.{0,20}$"
)
