"""What a team asks about its own choices, dates and operations; lower-cased English sentences.

A choice is the team's where what was chosen is a part of software and the choice is over
("why was the cache dropped?"); an operation is its own where only a running team has it.
"""

from recalld.recall.gate_rules.model import MEMORY, OPERATION, OWN_FACT, PAST_ACT

_PART = (
    r"(?:postgres\w*|mysql|sqlite|mongo\w*|redis|kafka|rabbitmq|nats|graphql|grpc|docker|kubernetes"
    r"|k8s|terraform|pnpm|yarn|npm|webpack|vite|django|flask|fastapi|rails|react|vue|svelte"
    r"|typescript"
    r"|(?:[\w-]+ ){0,3}(?:database|db|cache|queue|schema|library|framework|api|endpoint|service"
    r"|gateway"
    r"|limit|timeout|threshold|retr(?:y|ies)|flag|feature|cadence|vendor|provider|runner|linter"
    r"|logger"
    r"|parser|scheduler|index|migration|monolith|format|plugin|hosting|pipeline|ttl|default|quota))"
)
_CHOSEN = (
    r"(?:chosen|picked|selected|dropped|ditched|ruled out|rejected|removed|replaced|reverted"
    r"|rolled back"
    r"|raised|lowered|bumped|increased|reduced|set to|switched|swapped|split|moved|turned off"
    r"|disabled"
    r"|abandoned|adopted|introduced here|capped)"
)
_CHOSE = (
    r"(?:picked|chose|dropped|approved|decided on|signed off on|rejected|raised|lowered|bumped"
    r"|switched"
    r"|proposed|vetoed|ruled out|pushed for)"
)
_CREW = r"(?:the (?:team|ops|devs|crew|backend|frontend|platform team|data team))"

# The jobs of somebody who runs software; everybody else's "we" breathes, dreams and drinks.
_DO = (
    r"(?:ship|deploy|release|roll ?(?:back|out)|rotate|back up|page|escalate|on-?board|name (?:\w+"
    r" )?(?:branches|tags|releases|services|buckets)|tag|version|bill|invoice|host|monitor|freeze"
    r"|cut"
    r" (?:a |the )?releases?|keep (?:the|our) [\w ]+|store (?:the|our) [\w ]+|run (?:the|our|in"
    r"|on)\b"
    r"|log (?:in|into)|charge|pay (?:for|the)|review (?:prs|pull requests)|merge|hold (?:the|our)"
    r"|meet"
    r"|demo|retro|stand up)\b"
)
_OPERATION = (
    r"(?:backups?|releases?|deploy(?:ment)?s?|rollbacks?|rollouts?|nightly (?:job|build|run"
    r"|batch)s?"
    r"|cron jobs?|on[- ]?call(?: rota| schedule)?|rota|stand-?up|retro|runbooks?|maintenance window"
    r"|(?:deployment|release|change) window|code freeze|pager|post-?mortems?|staging(?: \w+)?"
    r"|incidents?|logs|keys|certs|certificates|credentials|secrets|(?:billing|auth|search|payment"
    r"|mail)"
    r" (?:service|queue|job|database|team)|expenses|invoices|sprint (?:review|demo|planning))"
)

EXTENDED = (
    MEMORY.rule(
        "en_remember_the",
        r"^(?:hey |hi |so |ok |and |also |still )*(?:\w+, |, )?(?:do you )?(?:still )?(?:remember"
        r"|recall)"
        r" (?:the|our|my|that (?!the\b|an?\b|you\b|it\b|i\b|we\b|\w+s\b)|those|which|what|who"
        r"|where|why|when"
        r"|[a-z]+'s)\b[^,?]{1,80}\?$",
        r"\bdifference between\b|\b(?:alamo|titans|quadratic|alphabet|formula|syntax)\b"
        r"|\bwhat (?:is|are) an?\b",
    ),
    PAST_ACT.rule(
        "en_part_was_chosen",
        rf"\b(?:why|when|how come) (?:was|were) (?:the |that )?{_PART} (?:\w+ )?{_CHOSEN}\b"
        rf"|\bwho {_CHOSE} (?:the |that )?{_PART}\b|\b(?:why did"
        rf"|what made) {_CREW} (?:\w+ )?(?:pick|choose"
        r"|drop|switch|move|go with|adopt|settle on|reject|abandon|revert|split|raise|lower|use)\b"
        rf"|\bwho (?:signed off on|decided (?:on|against)) (?:the|that) {_PART}\b"
        rf"|\bback then\b[^?]{{0,40}}"
        rf"{_PART}\b[^?]{{0,30}}\?",
        r"\bin the (?:first|early|19|20)|\b(?:history|originally|invented|film|world cup|war)\b",
    ),
    OWN_FACT.rule(
        "en_when_do_we",
        r"\b(?:when|where|who|how often|how long|what (?:time|day|region|cloud|port|version"
        r"|branch)|which"
        rf" [\w-]+|how) do we (?:usually |normally |currently |actually )?{_DO}",
        r"\bshould\b|\bdo we (?:deploy|ship|release|host|tag|version) an? |\bin (?:git|github"
        r"|docker|kubernetes|helm|aws|terraform|python|java|sql"
        r"|rails|react"
        r"|linux|django)\b|\b(?:with|using) [a-z]+\?|\bdo we merge (?:two|sort)|\bbreath|\bblood\b"
        r"|\bsun\b",
    ),
)

PROBES = (
    OPERATION.rule(
        "en_own_operation",
        r"^(?:so |and |hey |ok )*(?:how (?:long|often|soon|is|are)|when(?:'s)?|where(?:'s)?"
        r"|who(?:'s)?"
        r"|what time|what day|which (?:day|team|channel|branch))\b(?: (?:is|are|does|do|was|were"
        r"|did|gets?"
        r"|owns?|approves?|runs?|handles?|signs?|pays?|maintains?|has|on|off))* (?:the |a |next "
        r"|last |our "
        rf"|database |db |production |prod |api |weekly |monthly )*{_OPERATION}(?: (?:is|are|go"
        r"|goes|run"
        r"|runs|rolled back|kept|stored|rotated|start|starts|approved|announced|due|expire|happen"
        r"|taken"
        r"|again|live|end|ends|now|reviewed|sent|filed|close|closes|open|opens))*\?*$",
        r"\bfirst\b|\bshould\b|\bby default\b|\busually\b|\bgenerally\b|\btypically\b",
    ),
)
