"""English families of the gate's own, behind ``gate.extended``; lower-cased sentences."""

from recalld.recall.gate_rules.english import DID
from recalld.recall.gate_rules.model import (
    OPEN,
    OWN_FACT,
    PAST_ACT,
    PREFERENCE,
    STATE,
    WHERE_WERE_WE,
)

_WH = r"(?:what|which|who|whom|whose|where|when|why|how)"
_FACT = r"(?:what|which|who|whose|where|when|how (?:many|much|often|long|old|far|big|tall|fast))"

EXTENDED = (
    WHERE_WERE_WE.rule(
        "en_where_were_we",
        r"\bwhere (?:were|are|was|did) (?:we|i)\b(?! (?:going|from))|\b(?:leave|left) (?:it "
        r"|things )?off\b|\bwhat (?:were|was|are) (?:we|i) (?:just )?(?:doing|working on|up to"
        r"|talking about|in the middle of|discussing|on)\b|\b(?:catch me up"
        r"|bring me up to (?:speed|date)|get me up to speed)\b|\bwhat(?:'s| is"
        r"| was) (?:still )?(?:left|next|outstanding|pending|open) (?:to do )?(?:on|for|in"
        r"|with) (?:the|our|my)\b|\bhow far (?:did|have|are|along) (?:we|i)\b|\bwhat did i miss\b",
    ),
    PREFERENCE.rule(
        "en_my_usual",
        r"\b(?:my|our) (?:usual|regular|normal|standard|preferred|favou?rite|go-to|typical"
        r"|default)\b|\bthe usual\b(?! suspect)|\bas (?:usual|always|per usual)\b"
        r"|\bmy (?:\w+ )?(?:preferences?|tastes?|habits?|conventions?|routine|style)\b",
        r"\bimprove my\b|\b(?:become|develop|build|form|break) ",
    ),
    PREFERENCE.rule(
        "en_the_way_i_like",
        r"\b(?:way|format|style|kind|type|size|order|length|layout|tone|how|what|which"
        r"|things?) (?:that )?(?:i|we) (?:like|prefer|always|usually|normally|typically|hate|love"
        r"|use to)\b|\b(?:do|did) i (?:like|prefer|hate|love|enjoy|usually|normally|typically)\b",
        r"\bi (?:like|love) to (?:know|see|have)\b",
    ),
    PAST_ACT.rule(
        "en_wh_did_we",
        rf"\b{_WH}\b[^?]{{0,70}}?\b(?:did|had|have|'ve|was|were) (?:we|i)\b(?! (?:to|wrong)\b)"
        rf"|\b{_WH}\b[^?]{{0,70}}?\bdid you\b",
        r"\b(?:did|have) i (?:do|done|get|got|gone|go|make|made) (?:it )?wrong"
        r"|\bhow did you (?:know|like)|\bhave i (?:to|got)\b|\b(?:moon|mars|evolve|discover"
        r"|universe)\b|\bwhy did i get\b",
    ),
    PAST_ACT.rule(
        "en_did_we",
        r"(?:^|[,:;] ?|\b(?:and|but|so|whether|if) )(?:did|have|had|haven't|didn't|hadn't) (?:we"
        r"|i|you)\b(?! (?:know|mean|ever (?:heard|tried|seen|been|wondered)|heard|seen|tried|got"
        r"|any|to|a|(?:\w+ )?(?:land|evolve|discover))\b)",
    ),
    PAST_ACT.rule(
        "en_the_thing_we",
        r"\b(?:the|that|those|this|these|any|everything|thing|things|what|one|ones"
        r"|all) (?:[\w'-]+ ){0,4}?(?:that |which |who )?(?:we|i|you) (?:had |have |'ve "
        rf"|already |both |all )*{DID}\b(?! (?:below|above|here|to (?:know|ask|see))\b)",
        r"\b(?:i|we|you) (?:had |have |just )*(?:pasted|attached|uploaded|posted|provided|wanted"
        r"|needed|used to|installed|opened|cloned|downloaded|received|tried to|expected|hoped"
        r"|wondered|learned|linked|included|gave|noticed|shared|read|found)\b|\bif (?:i|we|you)\b"
        r"|\bchanges i made\b",
    ),
    PAST_ACT.rule(
        "en_already_once",
        r"\b(?:we|i)(?:'ve| have| had|'d)? (?:\w+ )?(?:already|once|previously|ever)\b|\b(?:we"
        r"|i)\b[^.?!]{0,40}\b(?:already|once already|before)[.?!]?$",
        r"\bbefore (?:i|we|you|the|it)\b|\bonce (?:i|we|you|it|the)\b|\b(?:should|can|would) (?:i"
        r"|we)\b",
    ),
    PAST_ACT.rule(
        "en_what_was_that",
        r"\b(?:what|which|who|where) (?:was|were) (?:that|those)\b|\b(?:what(?:'s| is| was| were)"
        r"|who(?:'s| is| was)|where(?:'s| is| was))\b[^?]{0,60}\bagain\b",
        r"\b(?:again and again|never again|once again)\b",
    ),
    PAST_ACT.rule(
        "en_last_time",
        r"\blast time\b|\b(?:asked|told|gave|sent|promised|owe[sd]?|offered|charged) us\b"
        r"|\bdid it take (?:me|us)\b|\bdid\b[^?]{0,50}\b(?:for|with|to|from|give|help|cost|tell"
        r"|send|ask) (?:me|us)\b|\bwhy (?:are we still|aren't we|did we|didn't we|haven't we"
        r"|don't we use|do we (?:still )?use|do we keep)\b",
        r"\blast time (?:a|the) (?:\w+ )?(?:comet|war|eclipse|world)\b",
    ),
    PAST_ACT.rule(
        "en_what_came_of_it",
        r"\bwhat (?:was|were|had been) (?:the|our|my) (?:[\w-]+ )?(?:plan|decision|conclusion"
        r"|outcome|reason|root cause|verdict|fix|workaround|takeaway|deal|agreement"
        r"|final answer)s?\b(?! (?:of (?:the )?(?:war|battle|treaty)))|\bwhat (?:went wrong"
        r"|happened) with (?:the|our|my|that)\b",
        r"\b(?:war|empire|battle|revolution|treaty|century|titanic|dynasty)\b",
    ),
    PAST_ACT.rule(
        "en_pick_up",
        r"\bpick(?:ing)? (?:[\w-]+ ){0,5}?(?:back )?up\b[^.?!]{0,30}\b(?:where|from)\b"
        r"|\bpick (?:back )?up (?:the|our|my) [\w-]+(?: [\w-]+){0,3} (?:work|task|thread"
        r"|refactor\w*|migration|discussion)|\b(?:resume|carry on with|get back to|go back to"
        r"|return to) (?:the|our|my|where)\b",
        r"\b(?:bus|train|function|loop|page|home screen|game)\b",
    ),
    OWN_FACT.rule(
        "en_do_i",
        rf"\b{_FACT}\b[^?]{{0,80}}?\b(?:do|did|am|was|had) i\b(?! (?:need|have to|use|do|call|get"
        r"|install|say|put|find|write|make|fix|set|add|run|configure|start|know|tell|choose|pick"
        r"|check|see|go|create|change|begin|learn|import|deploy|handle|even|want|look|read|pass"
        r"|convert|ask|apply|open|turn|connect|enable|disable|supposed|missing|doing|allowed|able"
        r"|getting|looking|must|decide|fill|send|sign|register|download|build|implement|stop|wait"
        r"|move|store|save)\b)",
        r"\bhow many\b[^?]*\b(?:left|in total|altogether)\b",
    ),
    OWN_FACT.rule(
        "en_is_my",
        rf"\b{_FACT}(?:'s\b|\b[^?,]{{0,60}}?\b(?:is|are|was|were|does|do|did|has|have|had"
        r"|will)\b)(?: (?:the|a|an) [\w'-]+(?: [\w'-]+){0,3}? (?:of|for|in|to|on|with"
        r"|between))? (?:my|our)\b(?! (?:\w+ )?(?:code|error|function|query|script|regex|loop"
        r"|options?|rights|ip|mistake|bug|problem|issue|input|output|list|array|file|terminal"
        r"|browser|computer|laptop|mac|pc|app|program|chances|best|next step|odds|css|html|sql"
        r"|solution|understanding|galaxy|planet|solar system|universe|brain|body|society)\b)",
        r"\b(?:do|does) (?:my|our) [\w.-]+(?: \w+){0,2} (?:do|work|look|mean|return|contain)\b",
    ),
    OWN_FACT.rule(
        "en_i_currently",
        r"\b(?:am i|do i|i'm|i am|i) (?:currently|at the moment|right now"
        r"|these days)\b[^?.]{0,60}\?|\b(?:do|am|have|are|is|was|does|did) (?:i|my"
        r"|our) (?:\w+ ){0,4}?(?:allergic|enrolled|due|subscribed|scheduled|booked"
        rf"|supposed to (?:meet|call|see))\b|\b{_FACT}\b[^?]{{0,80}}\bi (?:own|owe|live|work (?:at"
        r"|for|in)|spen[dt]|drive|dedicate)\b",
        r"\b(?:should|can|could) i\b",
    ),
    STATE.rule(
        "en_status_of_the",
        r"\b(?:what(?:'s| is| was| are| were)|any|give me|where(?:'s| is)) (?:the "
        r"|our )?(?:[\w-]+ )?(?:status|progress|outcome|verdict|conclusion|deadline|decision"
        r"|update|eta|plan) (?:of|on|for|with|about|in) (?:the|our|my|that) [\w'-]+",
        r"\bstatus of the (?:http|response|request|pods?|service|container|process)\b",
    ),
    STATE.rule(
        "en_has_it_come",
        r"\b(?:has|have|did|hasn't|haven't|didn't) (?:the|that|our|my"
        r"|[a-z]+) (?:[\w'-]+ ){0,5}?(?:replied|responded|answered|approved?|merged|shipped"
        r"|signed|paid|arrived|confirmed|reply|respond|answer|(?:come|came|gotten|got|get|hear"
        r"|heard) back|sign off|respond|agreed?)\b|\bwho (?:was|is|were) (?:going|supposed|meant"
        r"|responsible|in charge|assigned)\b|\b(?:is|are|was) (?:the|that|our"
        r"|my) (?:[\w'-]+ ){1,4}(?:approved|merged|shipped|live|signed|paid|confirmed|settled"
        r"|done|finished|ready|resolved|still (?:open|blocked|pending|broken)) ?(?:yet|now"
        r"|already)?\?",
        r"\b(?:tests?|build|loop|array|list|string|variable)\b",
    ),
    STATE.rule(
        "en_project_trouble",
        r"\b(?:why|when|who|what|is|was|are|has|did)\b[^?]{0,50}\b(?:[\w-]+ )(?:pr|pull request"
        r"|ticket|release|migration|rollout|deployment|launch|project|feature|sprint|deadline"
        r"|contract|invoice|refactor|incident|outage|demo|workshop|offer|deal"
        r"|workshop paper)\b[^?]{0,30}\b(?:blocked|postponed|on hold|rolled back|reverted"
        r"|turned down|rejected|dropped|cancell?ed|shelved|pushed back|delayed|late)\b",
    ),
    STATE.rule(
        "en_how_goes_the",
        r"\bhow(?:'s| is| are| was| were| did| has) (?:the|our|my"
        r"|that) (?:[\w'-]+ ){1,5}?(?:going|coming along|doing|progressing|turn out|go|end up"
        r"|been going)\b|\bwhere (?:are|do) (?:we|things) (?:stand|at)?\b ?(?:with|on)\b"
        r"|\bany (?:news|word|progress|movement|reply|luck|response) (?:on|from|about"
        r"|with) (?:the|my|our|that|[a-z]+)\b",
        r"\bhow did the (?:war|empire|universe|revolution|dinosaurs)\b",
    ),
)

OPENS = (
    OPEN.rule(
        "en_act_on_it",
        r"^(?:ok |okay |now |then |please |and |so |can you |could you |let's |just "
        r"|go ahead and )*(?:fix|run|try|do|redo|undo|revert|deploy|ship|send|merge|commit|push"
        r"|delete|remove|change|update|check|show|explain|rename|move|finish|test|use|keep|add"
        r"|open|start|stop|make)\b(?: \w+){0,2} (?:it|that|them|those|one|him|her)\b",
    ),
    OPEN.rule(
        "en_go_on",
        r"^(?:ok |okay |please |yes |and |then )*(?:continue|go on|go ahead|keep going|carry on"
        r"|proceed|resume|next|try again|retry|again|do it|once more|start over|go with"
        r"|use) ?(?:\w+ ?){0,4}[.!?]*$"
        r"|^(?:ok |okay |please |yes |and |then |let's |let us )*(?:continue|go on|keep going"
        r"|proceed) (?:with|working on) (?:the|our|my|that) [\w-]+",
    ),
    OPEN.rule(
        "en_the_other_one",
        r"\b(?:the|that) (?:other|first|second|third|last|same|new|old|previous|latter"
        r"|former) (?:one|option|approach|version|way|idea|thing|plan|solution|variant)\b",
    ),
    OPEN.rule(
        "en_whats_status",
        r"^(?:so |and )?(?:what(?:'s| is) (?:the|our) (?:status|plan|eta|state)|how(?:'s"
        r"| is) it going|any (?:update|progress|news)s?|is it (?:done|ready|live)|are we (?:done"
        r"|ready|good)|what(?:'s| is) next|what now|what's left)\??$",
    ),
    OPEN.rule(
        "en_should_know_before",
        r"\banything (?:else )?(?:i|we) (?:should|need to|must) (?:know|do|check|remember)\b",
    ),
    OPEN.rule(
        "en_suggest_for_me",
        r"\b(?:recommend|suggest)\b[^.?!]{0,60}\b(?:me|my|near me|around me|tonight|this weekend"
        r"|i'd like|i might like|for us)\b|\b(?:what|which|where) should (?:i"
        r"|we) (?:\w+ ){0,3}(?:watch|read|cook|eat|bake|wear|visit|buy|order|do (?:tonight"
        r"|this weekend|next))\b|\b(?:inviting|hosting|having) (?:my|some"
        r"|a few) (?:\w+ )?(?:colleagues|friends|family|people)",
    ),
)
