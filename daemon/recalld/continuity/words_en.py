"""English words that continuity looks for, as data. Pure."""

_THINGS = (
    r"(?:work|tasks?|objectives?|goals?|projects?|sessions?|items?|blockers?|decisions?|steps?"
    r"|actions?|results?|issues?|changes?|activity)"
)
_FOR_NOW = r"(?: (?:yet|now|right now|so far|at the moment|currently|at present|for now|here))?"

# A value that is this and nothing more: there is nothing.
NOTHING = (
    r"none|n ?/ ?a|n\.a|na|nil|null|nothing|empty|idle|unknown|undefined|not applicable"
    r"|(?:none|nothing|idle|unknown)(?: (?:known|pending|open|active|yet|left|to report))?"
    rf"{_FOR_NOW}"
    rf"|(?:there (?:is|are) )?no(?: (?:active|current|open|pending|ongoing|known|key|new"
    rf"|unsurfaced))* {_THINGS}{_FOR_NOW}"
)
# A value that is this and nothing more: somebody still has to fill it in.
UNFILLED = (
    r"placeholder|to[- ]?do|tbd|tba|tbc|fixme|untitled|xxx+|lorem ipsum"
    r"|to be (?:determined|decided|defined|filled(?: in| out)?|added|announced|confirmed)"
    r"|(?:please )?fill (?:this |me )?(?:in|out)|not (?:yet )?(?:set|filled(?: in)?|defined)"
    r"|yyyy-mm-dd(?:[t ]hh:mm(?::ss)?z?)?"
)
