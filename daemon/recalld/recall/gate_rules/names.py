"""Given names, and the question about a person that is not about a public figure.

A single given name without a surname in a question is nearly always somebody the speaker
knows. The names are the common English ones with their short forms.
"""

import re

from recalld.recall.gate_rules.model import OPEN, THIRD_PERSON

_NAME = (
    "Aaron|Abby|Abigail|Adam|Adrian|Aidan|Alan|Albert|Alejandro|Alex|Alexa|Alexandra|Alexis"
    "|Alice|Alicia|Alison|Amanda|Amber|Amelia|Amy|Ana|Andre|Andrea|Andrew|Andy|Angela|Angie"
    "|Anita|Ann|Anna|Anne|Annie|Anthony|Antonio|April|Aria|Ariana|Arthur|Ashley|Audrey|Austin"
    "|Ava|Barbara|Ben|Benjamin|Beth|Betty|Bill|Billy|Bob|Bobby|Brad|Brandon|Brenda|Brett"
    "|Brian|Brianna|Bruce|Bryan|Caleb|Calvin|Cameron|Carl|Carla|Carlos|Carmen|Carol|Caroline"
    "|Carolyn|Cassie|Catherine|Cathy|Chad|Charles|Charlie|Charlotte|Chelsea|Chloe|Chris"
    "|Christian|Christina|Christine|Christopher|Cindy|Claire|Clara|Cody|Colin|Connor|Courtney"
    "|Craig|Crystal|Cynthia|Daisy|Dan|Dana|Daniel|Danielle|Danny|Dave|David|Dawn|Dean|Deb"
    "|Debbie|Deborah|Debra|Denise|Dennis|Derek|Diana|Diane|Diego|Don|Donald|Donna|Dora|Doris"
    "|Dorothy|Doug|Douglas|Drew|Dylan|Ed|Eddie|Edward|Eleanor|Elena|Eli|Elijah|Elizabeth|Ella"
    "|Ellen|Emily|Emma|Eric|Erica|Erik|Erin|Ethan|Eva|Evan|Eve|Evelyn|Faith|Felix|Fiona|Frank"
    "|Fred|Gabby|Gabriel|Gary|Gavin|George|Gina|Gloria|Grace|Greg|Gregory|Hailey|Hannah"
    "|Harold|Harry|Heather|Heidi|Helen|Henry|Holly|Ian|Irene|Isaac|Isabel|Isabella|Ivan|Jack"
    "|Jackie|Jackson|Jacob|Jake|James|Jamie|Jan|Jane|Janet|Janice|Jared|Jasmine|Jason|Javier"
    "|Jay|Jean|Jeff|Jeffrey|Jen|Jenna|Jennifer|Jenny|Jeremy|Jerry|Jess|Jesse|Jessica|Jill|Jim"
    "|Jimmy|Jo|Joan|Joanna|Jocelyn|Joe|Joel|John|Johnny|Jon|Jonathan|Jordan|Jorge|Jose|Joseph"
    "|Josh|Joshua|Joy|Joyce|Juan|Judith|Judy|Julia|Julian|Julie|June|Justin|Karen|Karl|Kate"
    "|Katherine|Kathleen|Kathy|Katie|Kayla|Keith|Kelly|Kelsey|Ken|Kenneth|Kenny|Kevin|Kim"
    "|Kimberly|Kristen|Kristin|Kurt|Kyle|Lara|Larry|Laura|Lauren|Laurie|Leah|Lee|Leo|Leon"
    "|Leslie|Liam|Lily|Linda|Lisa|Liz|Logan|Lois|Louis|Louise|Lucas|Lucia|Lucy|Luis|Luke|Lynn"
    "|Maddie|Madison|Maggie|Marcus|Margaret|Maria|Marie|Marilyn|Mario|Mark|Martha|Martin"
    "|Marvin|Mary|Mason|Matt|Matthew|Maya|Megan|Mel|Melanie|Melissa|Mia|Michael|Michelle"
    "|Miguel|Mike|Miranda|Molly|Monica|Morgan|Nancy|Natalie|Nate|Nathan|Neil|Nicholas|Nick"
    "|Nicole|Nina|Noah|Nora|Norman|Olivia|Oscar|Owen|Paige|Pam|Pamela|Pat|Patricia|Patrick"
    "|Paul|Paula|Peggy|Peter|Phil|Philip|Rachel|Ralph|Randy|Ray|Raymond|Rebecca|Renee|Ricardo"
    "|Richard|Rick|Rob|Robert|Robin|Roger|Ron|Ronald|Rosa|Rose|Ross|Roy|Russell|Ruth|Ryan"
    "|Sally|Sam|Samantha|Samuel|Sandra|Sandy|Sara|Sarah|Scott|Sean|Sebastian|Seth|Shane"
    "|Shannon|Sharon|Shawn|Sheila|Shelly|Simon|Sofia|Sophia|Sophie|Stacy|Stanley|Stella"
    "|Stephanie|Stephen|Steve|Steven|Stuart|Sue|Susan|Suzanne|Sydney|Sylvia|Tamara|Tanya|Tara"
    "|Taylor|Ted|Teresa|Terry|Theo|Theresa|Thomas|Tiffany|Tim|Timothy|Tina|Todd|Tom|Tommy"
    "|Toni|Tony|Tracy|Travis|Trevor|Troy|Tyler|Valerie|Vanessa|Vera|Veronica|Vicky|Victor"
    "|Victoria|Vincent|Virginia|Walter|Wanda|Wayne|Wendy|Will|William|Zach|Zachary|Zoe"
    # Given names of other languages that are neither a surname nor a word, a god or a dynasty.
    "|Aarav|Aditi|Aditya|Ahmed|Aisha|Ajay|Akira|Amara|Amina|Amit|Anil|Anjali|Ankit|Antoine"
    "|Anton|Arjun|Arnav|Asha|Astrid|Ayumi|Beatriz|Bjorn|Camille|Chiara|Chidi|Deepak|Deepika"
    "|Dieter|Dmitri|Dmitry|Ekaterina|Elif|Emeka|Emre|Enrique|Fatima|Francesca|Francois"
    "|Giovanni|Giulia|Giuseppe|Haruka|Haruto|Hassan|Hiroshi|Ibrahim|Igor|Ingrid|Irina|Ivana"
    "|Jamal|Joao|Jurgen|Kaito|Karim|Karthik|Katarina|Kavita|Kavya|Kenji|Khalid|Klaus|Kwame"
    "|Lakshya|Lars|Layla|Leila|Luca|Magnus|Mahmoud|Manish|Marta|Mateo|Matteo|Mehmet|Meera"
    "|Miriam|Mohit|Mustafa|Nadia|Naoko|Natasha|Neha|Ngozi|Nikhil|Nikita|Nikolai|Nisha|Olga"
    "|Olu|Paolo|Pierre|Pooja|Pradeep|Pranav|Priya|Rahul|Rajesh|Ramesh|Ravi|Rohan|Rohit"
    "|Sakura|Samir|Sanjay|Santosh|Satoshi|Sergei|Sergey|Shreya|Siddharth|Sneha|Soren|Sunil"
    "|Suresh|Svetlana|Takeshi|Tariq|Tatiana|Vijay|Vikram|Vivek|Vladimir|Xavier|Xiaoming"
    "|Xiaoli|Yasmin|Yuki|Yuri|Yusuf|Zainab|Zeynep"
)
_QUESTION = (
    r"(?:[Ww]hat|[Ww]hy|[Hh]ow|[Ww]hen|[Ww]here|[Ww]ho|[Ww]hose|[Ww]hich|[Dd]id|[Dd]oes|[Ii]s"
    r"|[Ww]as|[Hh]as|[Hh]ad|[Aa]re|[Ww]ould|[Ww]ill)"
)
# A small word in front and no surname behind: with one, it is a public figure, a place or a work.
_SOMEBODY = (
    rf"(?:{_NAME})\b(?:'s\b|'(?= )|(?! (?:[A-Z][a-z]|[IVX]+\b|the [A-Z]|von |van |de |in [A-Z]"
    r"|of [A-Z])))"
)

RULES = (
    THIRD_PERSON.rule(
        "en_about_somebody",
        rf"\b{_QUESTION}(?:\b[^?]{{0,120}}?(?<![A-Za-z'-])(?:[a-z][\w'-]{{0,20}},?"
        rf"|[,;:(]))? {_SOMEBODY}",
        r"\b(?:in|from|of) (?:the |a |this )?(?:\w+ )?(?:novel|film|movie|book|play|Bible|chapter"
        r"|poem)\b|\bcharacter\b|\bhas \d+ \w+|\b(?:Will|Mark|Rose|Grace|Faith|Joy|Jack|Dean|Drew"
        r"|Bill|Pat|Rob|Sue|Ray|Eve|Dawn) (?:the|a|it|this|that|up|as|in|of)\b",
    ),
    THIRD_PERSON.rule(
        "en_named_said",
        rf"\b(?:{_NAME}) (?:said|told|mentioned|suggested|wanted|asked|agreed|promised"
        r"|recommended)\b|\b(?:[Dd]id|[Hh]as|[Dd]idn't|[Hh]asn't) [A-Z][a-z]+ (?:(?:already|ever"
        r"|finally) )?(?:sen[dt]|reply|replied|sign|agree|approve|mention|say|said|finish|review"
        r"|confirm|answer|pay|paid)(?:ed)?\b",
        r"\b(?:novel|film|movie|book|Bible|character|once upon)\b",
    ),
)

# One name is enough for these; whoever else is asked for by one name is known to few.
_KNOWN_BY_ONE = (
    "Achilles|Adele|Allah|Apollo|Aristotle|Athena|Bach|Banksy|Barbie|Batman|Beethoven|Beyonce|Biden"
    "|Buddha|Caesar|Cain|Chopin|Churchill|Cleopatra|Confucius|Cupid|Dante|Darwin|Descartes|Dracula"
    "|Edison|Einstein|Euclid|Euler|Freud|Gandalf|Gandhi|Gauss|God|Godzilla|Goethe|Hades|Hamlet|Harry"
    "|Hegel|Hercules|Hermes|Hitler|Homer|Jesus|Kant|Kafka|Krishna|Lenin|Lincoln|Loki|Machiavelli"
    "|Madonna|Mao|Marx|Medusa|Messi|Moses|Mozart|Muhammad|Mulan|Musk|Napoleon|Nero|Newton|Nietzsche"
    "|Obama|Odin|Odysseus|Oedipus|Picasso|Plato|Poseidon|Prometheus|Putin|Pythagoras|Rembrandt"
    "|Rihanna|Ronaldo|Santa|Satan|Shakespeare|Shiva|Siri|Alexa|Claude|Socrates|Spartacus|Spiderman"
    "|Stalin|Superman|Tesla|Thanos|Thor|Tolstoy|Trump|Turing|Venus|Voltaire|Yoda|Zeus|Zuckerberg"
)

PROBES = (
    OPEN.rule(
        "en_who_is_that",
        rf"^(?:[Ss]o,? |[Aa]nd )?[Ww]ho(?:'s| is) (?!(?:{_KNOWN_BY_ONE})\b)[A-Z][a-z]{{2,14}}\?*$",
    ),
)

_NAMES = frozenset(_NAME.split("|"))
_CAPITAL = re.compile(r"[A-Z][a-z]+")
_ASKS_NAME = re.compile(r"\b(?:[Dd]id|[Hh]as|[Dd]idn't|[Hh]asn't|[Ww]ho(?:'s| is)) [A-Z][a-z]")


def may_name_somebody(sentence: str) -> bool:
    """False where none of the rules can fire; a tenth of their cost."""
    words = _CAPITAL.findall(sentence)
    return not _NAMES.isdisjoint(words) or _ASKS_NAME.search(sentence) is not None
