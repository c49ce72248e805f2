"""Make questions and claims of one to three hops from Wikipedia's openings, and of rows of tables.

A pattern finds a fact in the first sentences of an article: who directed a film, when a company was founded. A fact is
asked of the article by its name, by a written description ("the venue of the final of the 1925–26 FAI Cup"), or by
another fact that leads to it ("the director of X"), and stated as a claim, true or with the value of another article
(cf. Lewis et al. 2019 on questions made from text). Rows are those of published tables, and made ones.
"""

from __future__ import annotations

import random
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from contrast import MONTHS, Verdict, edit

_DATE = rf"(?:(?:{'|'.join(MONTHS)}) \d{{1,2}}, \d{{4}}|\d{{1,2}} (?:{'|'.join(MONTHS)}) \d{{4}}|\d{{4}})"
_WORD = r"[A-Z](?:\.|[\w'’\-]*)"
_NAME = rf"(?:the )?{_WORD}(?: (?:(?:of|the|de|von|van|and) )?{_WORD}){{0,5}}"
_PLACE = rf"(?:the )?{_WORD}(?: (?:of |the )?{_WORD}){{0,3}}(?:, {_WORD}(?: {_WORD}){{0,2}}){{0,2}}"
Described = Sequence[tuple[str, tuple[str, ...]]]
"""Phrases or claims, each with the titles of its articles in order."""
LOOKED_AT = 320
"""Characters of an opening in which facts are looked for: later sentences may be about something else."""


class Relation(NamedTuple):
    """How a fact is found, asked and stated; `noun` names what the fact leads to, where that can be an article."""

    pattern: str
    questions: tuple[str, ...]
    claims: tuple[str, ...]
    noun: str = ""


RELATIONS = {
    "born": Relation(
        rf"\((?:[^()]*?born )?(?P<v>{_DATE})",
        ("When was {x} born?", "What is the date of birth of {x}?", "When is the birthday of {x}?"),
        ("{x} was born on {v}.",),
    ),
    "birth year": Relation(
        r"\((?:[^()]*?born )?(?:[A-Z]\w+ \d{1,2}, |\d{1,2} [A-Z]\w+ )?(?P<v>\d{4})",
        ("In what year was {x} born?", "{x} was born in which year?"),
        ("{x} was born in {v}.",),
    ),
    "died": Relation(
        rf"\([^()]*?\d{{4}} ?[–-] ?(?P<v>{_DATE})\)",
        ("When did {x} die?", "What is the date of death of {x}?"),
        ("{x} died on {v}.",),
    ),
    "birthplace": Relation(
        rf"\bborn (?:on {_DATE} )?(?:in|at) (?P<v>{_PLACE})",
        ("Where was {x} born?", "What is the birthplace of {x}?", "In which city was {x} born?"),
        ("{x} was born in {v}.",),
        "the birthplace of {x}",
    ),
    "nationality": Relation(
        r"\) (?:is|was) an? (?P<v>[A-Z][a-z]+(?:[- ][A-Z][a-z]+)?) [a-z]",
        ("What is the nationality of {x}?", "What nationality was {x}?"),
        ("{x} is {v}.",),
    ),
    "work": Relation(
        r"\) (?:is|was) an? [A-Z][a-z]+(?:[- ][A-Z][a-z]+)? (?P<v>(?:[a-z]+ ){0,2}(?:actor|actress|singer|politician|writer|player|footballer|director|producer|painter|musician|poet|novelist|architect|composer|lawyer|physicist|journalist|model|wrestler|boxer|guitarist|drummer|rapper|historian|philosopher|astronaut|chemist|businessman|comedian|author|swimmer|cyclist|engineer|general|officer))\b",  # noqa: E501
        ("What is the occupation of {x}?", "What is {x} known as?", "What profession does {x} have?"),
        ("{x} is a {v}.", "{x} works as a {v}."),
    ),
    "directed": Relation(
        rf"\bdirected by (?P<v>{_NAME})",
        ("Who directed {x}?", "Who is the director of {x}?", "{x} was directed by whom?"),
        ("{x} was directed by {v}.", "{v} directed {x}."),
        "the director of {x}",
    ),
    "wrote": Relation(
        rf"\b(?:written|authored) by (?P<v>{_NAME})",
        ("Who wrote {x}?", "Who is the author of {x}?"),
        ("{x} was written by {v}.", "{v} wrote {x}."),
        "the writer of {x}",
    ),
    "novel": Relation(
        rf"\b(?:novel|book|play|poem|memoir) by (?:[A-Z]?[a-z]+ ){{0,3}}?(?:author |writer |novelist |poet |playwright )?(?P<v>{_NAME})",  # noqa: E501
        ("Who wrote {x}?", "Who is the author of {x}?"),
        ("{v} is the author of {x}.",),
        "the author of {x}",
    ),
    "performed": Relation(
        rf"\b(?:song|single|album|EP|track)(?: recorded)? by (?:[A-Z]?[a-z]+ ){{0,4}}?(?:band |singer |rapper |group |musician |duo |artist |rock band )?(?P<v>{_NAME})",  # noqa: E501
        ("Who performed {x}?", "Who recorded {x}?", "Which artist released {x}?"),
        ("{x} was recorded by {v}.", "{v} performed {x}."),
        "the performer of {x}",
    ),
    "produced": Relation(
        rf"\bproduced by (?P<v>{_NAME})",
        ("Who produced {x}?", "Which company produced {x}?"),
        ("{x} was produced by {v}.",),
        "the producer of {x}",
    ),
    "starring": Relation(
        rf"\b(?:starring|stars) (?P<v>{_NAME})",
        ("Who stars in {x}?", "Which actor stars in {x}?", "{x} stars whom?"),
        ("{v} stars in {x}.",),
        "the star of {x}",
    ),
    "published": Relation(
        rf"\bpublished by (?P<v>{_NAME})",
        ("Who published {x}?", "Which publisher released {x}?"),
        ("{x} was published by {v}.",),
        "the publisher of {x}",
    ),
    "developed": Relation(
        rf"\b(?:developed|designed|created) by (?:the )?(?P<v>{_NAME})",
        ("Who developed {x}?", "Who created {x}?", "Who designed {x}?"),
        ("{x} was created by {v}.",),
        "the creator of {x}",
    ),
    "founded by": Relation(
        rf"\b(?:founded|established|formed|started)(?: in \d{{4}})? by (?P<v>{_NAME})",
        ("Who founded {x}?", "Who is the founder of {x}?", "By whom was {x} founded?"),
        ("{x} was founded by {v}.", "{v} founded {x}."),
        "the founder of {x}",
    ),
    "founded": Relation(
        rf"\b(?:founded|established|formed|incorporated)(?: by [^,.]*?)? (?:in|on) (?P<v>{_DATE})",
        ("When was {x} founded?", "In what year was {x} established?", "When was {x} formed?"),
        ("{x} was founded in {v}.",),
    ),
    "released": Relation(
        rf"\breleased (?:[a-z ]{{0,20}}?)(?:in|on) (?P<v>{_DATE})",
        ("When was {x} released?", "When did {x} come out?"),
        ("{x} was released on {v}.", "{x} came out on {v}."),
    ),
    "film year": Relation(
        r"\bis an? (?P<v>\d{4}) [A-Z]?[\w\- ]*?(?:film|album|song|novel|game|series)",
        ("What year was {x} released?", "In what year did {x} come out?"),
        ("{x} was released in {v}.",),
    ),
    "opened": Relation(
        rf"\b(?:opened|built|completed|constructed) (?:in|on) (?P<v>{_DATE})",
        ("When was {x} built?", "When did {x} open?"),
        ("{x} opened in {v}.",),
    ),
    "located": Relation(
        rf"\b(?:located|situated|lies) (?:in|on|near) (?P<v>{_PLACE})",
        ("Where is {x} located?", "Where is {x}?", "In which place is {x}?"),
        ("{x} is located in {v}.",),
        "the place where {x} is located",
    ),
    "seat": Relation(
        rf"\b(?:headquartered|based) in (?P<v>{_PLACE})",
        ("Where is {x} headquartered?", "Where is {x} based?", "In which city is the headquarters of {x}?"),
        ("{x} is based in {v}.", "The headquarters of {x} is in {v}."),
        "the place where {x} is based",
    ),
    "population": Relation(
        r"\bpopulation (?:of|was|is)(?: about| approximately| around)? (?P<v>\d[\d,]*)",
        ("What is the population of {x}?", "How many people live in {x}?", "How many inhabitants does {x} have?"),
        ("The population of {x} is {v}.", "{v} people live in {x}."),
    ),
    "owner": Relation(
        rf"\bowned (?:and operated )?by (?P<v>{_NAME})",
        ("Who owns {x}?", "Who is the owner of {x}?"),
        ("{x} is owned by {v}.",),
        "the owner of {x}",
    ),
    "named after": Relation(
        rf"\bnamed (?:after|for) (?P<v>{_NAME})",
        ("Who is {x} named after?", "After whom is {x} named?"),
        ("{x} is named after {v}.",),
        "the namesake of {x}",
    ),
    "capital": Relation(
        rf"\bcapital (?:and largest city )?of (?P<v>{_NAME})",
        ("What is {x} the capital of?",),
        ("{x} is the capital of {v}.",),
        "the country or region whose capital is {x}",
    ),
    "county": Relation(
        rf"\b(?:village|town|city|community|township|municipality) in (?P<v>{_PLACE})",
        ("In which county is {x}?", "Where is {x}?", "What state is {x} in?"),
        ("{x} lies in {v}.",),
    ),
    "school": Relation(
        rf"\b(?:graduated from|educated at|studied at|attended) (?P<v>{_NAME})",
        ("Where did {x} study?", "Which university did {x} attend?", "Where was {x} educated?"),
        ("{x} studied at {v}.",),
        "the school that {x} attended",
    ),
    "team": Relation(
        rf"\b(?:plays|played|playing)(?: as an? [a-z\- ]+?)? for (?P<v>{_NAME})",
        ("Which team did {x} play for?", "What club does {x} play for?"),
        ("{x} played for {v}.",),
        "the team that {x} played for",
    ),
    "band": Relation(
        rf"\b(?:member|singer|guitarist|drummer|bassist|vocalist|frontman|lead singer) (?:of|for) (?:the [a-z ]*?band )?(?P<v>{_NAME})",  # noqa: E501
        ("Which band is {x} a member of?", "{x} is a member of which group?"),
        ("{x} was a member of {v}.",),
        "the band of {x}",
    ),
    "league": Relation(
        rf"\b(?:plays|compete|competes|competing) in (?:the )?(?P<v>{_NAME})",
        ("Which league does {x} play in?", "In which competition does {x} take part?"),
        ("{x} plays in {v}.",),
        "the league in which {x} plays",
    ),
    "part": Relation(
        rf"\bpart of (?P<v>{_NAME})", ("What is {x} part of?", "{x} is part of what?"), ("{x} is part of {v}.",)
    ),
    "character": Relation(
        rf"\b(?:portrayed|played) by (?:[a-z]+ )?(?P<v>{_NAME})",
        ("Who plays {x}?", "Which actor portrays {x}?"),
        ("{x} is played by {v}.",),
        "the actor who plays {x}",
    ),
    "role": Relation(
        rf"\bbest known for (?:his|her|their) (?:role|portrayal|work|performance)s? (?:as|of|in|on) (?P<v>{_NAME})",
        ("What is {x} best known for?", "Which role is {x} best known for?"),
        ("{x} is best known for {v}.",),
    ),
    "spouse": Relation(
        rf"\b(?:married to|wife of|husband of) (?P<v>{_NAME})",
        ("Who is the spouse of {x}?", "Whom did {x} marry?"),
        ("{x} was married to {v}.",),
        "the spouse of {x}",
    ),
    "child": Relation(
        rf"\b(?:son|daughter|child) of (?P<v>{_NAME})",
        ("Who is the father of {x}?", "Whose child is {x}?"),
        ("{x} is a child of {v}.",),
        "the parent of {x}",
    ),
    "genre": Relation(
        r"\bis an? (?:[A-Z][a-z]+ )(?P<v>(?:[a-z]+[ -]){0,2}(?:rock|metal|pop|jazz|punk|hip hop|folk|country|electronic|indie)) (?:band|group|duo)",  # noqa: E501
        ("What genre is {x}?", "What kind of music does {x} play?"),
        ("{x} is a {v} band.",),
    ),
}


class Article(NamedTuple):
    title: str
    text: str

    @property
    def name(self) -> str:
        return re.sub(r" \([^)]*\)$", "", self.title)


class Fact(NamedTuple):
    article: Article
    relation: str
    value: str


class Question(NamedTuple):
    """A question, its articles in order, the answer, and which of the articles it is said in."""

    text: str
    titles: tuple[str, ...]
    answer: str
    where: int


class Claim(NamedTuple):
    """A claim, the titles of its evidence, and the verdict."""

    text: str
    titles: tuple[str, ...]
    verdict: Verdict


_PERSON = re.compile(r"\([^()]*\d{4}[^()]*\) (?:is|was) (?:an?|the) ")
_OF_PERSONS = ("born", "birth year", "died", "nationality", "work", "spouse", "child", "school", "team")
_COMPILED = {name: re.compile(relation.pattern) for name, relation in RELATIONS.items()}


def facts_of(article: Article) -> Iterator[Fact]:
    opening = article.text[:LOOKED_AT]
    person = _PERSON.search(opening)
    for name, pattern in _COMPILED.items():
        found = pattern.search(opening) if person or name not in _OF_PERSONS else None
        if found and (value := found["v"].rstrip(" .,'")) and value not in article.title and found.end() < LOOKED_AT:
            yield Fact(article, name, value)


class Facts:
    """All facts of some articles, and what a description or another fact leads to."""

    def __init__(self, articles: Sequence[Article]) -> None:
        self.articles = {article.title: article for article in articles}
        self.of: dict[str, list[Fact]] = {}
        self.values: dict[str, list[str]] = defaultdict(list)
        self.bridges: list[Fact] = []
        for article in articles:
            if found := list(facts_of(article)):
                self.of[article.title] = found
                for fact in found:
                    self.values[fact.relation].append(fact.value)
        for found in self.of.values():
            self.bridges += [f for f in found if RELATIONS[f.relation].noun and f.value in self.of]

    def subject(self, chance: random.Random, described: Described) -> tuple[str, tuple[str, ...]]:
        """Choose an article that has facts, and how to refer to it: by name, description or another fact."""
        way = chance.random()
        if way < 0.4 and described:
            phrase, titles = chance.choice(described)
            return phrase, titles
        if way < 0.8:
            bridge = chance.choice(self.bridges)
            start = bridge.article.name
            titles = (bridge.article.title, bridge.value)
            phrase = RELATIONS[bridge.relation].noun.format(x=start)
            further = [f for f in self.of[bridge.value] if RELATIONS[f.relation].noun and f.value in self.of]
            if further and chance.random() < 0.3:
                again = chance.choice(further)
                phrase, titles = RELATIONS[again.relation].noun.format(x=phrase), (*titles, again.value)
            return phrase, titles
        title = chance.choice(list(self.of))
        return self.articles[title].name, (title,)


def questions(facts: Facts, described: Described, count: int, chance: random.Random) -> Iterator[Question]:
    """Ask for facts, and for what descriptions describe."""
    known = [(phrase, titles) for phrase, titles in described if titles[-1] in facts.of]
    for _ in range(count):
        if described and chance.random() < 0.25:
            phrase, titles = chance.choice(described)
            last = facts.articles[titles[-1]]
            who = "Who" if _PERSON.search(last.text[:LOOKED_AT]) else "What"
            form = chance.choice(
                (
                    f"{who} is {{x}}?",
                    f"{who} was {{x}}?",
                    "{x} is what?" if who == "What" else "{x} is who?",
                    "Name {x}.",
                )
            )
            yield Question(_capital(form.format(x=phrase)), titles, last.name, len(titles) - 2)
            continue
        phrase, way = facts.subject(chance, known)
        fact = chance.choice(facts.of[way[-1]])
        text = chance.choice(RELATIONS[fact.relation].questions).format(x=phrase)
        yield Question(_capital(text), way, fact.value, len(way) - 1)


def claims(facts: Facts, described: Described, count: int, chance: random.Random) -> Iterator[Claim]:
    """State facts: right, with another article's value, or beside evidence that lacks one of the articles."""
    known = [(phrase, titles) for phrase, titles in described if titles[-1] in facts.of]
    everything = list(facts.of)
    for _ in range(count):
        phrase, way = facts.subject(chance, known)
        chosen = chance.sample(facts.of[way[-1]], min(len(facts.of[way[-1]]), chance.choice((1, 1, 2))))
        titles = list(way)
        verdict = chance.choices(tuple(Verdict), (45, 40, 15))[0]
        wrong = chance.randrange(len(chosen)) if verdict is Verdict.CONTRADICTED else -1
        stated = []
        for number, fact in enumerate(chosen):
            value, subject = fact.value, phrase if not number else chance.choice(("it", "which"))
            if number == wrong and (other := _other(facts.values[fact.relation], value, chance)) is not None:
                value = other
            elif number == wrong:
                verdict = Verdict.SUPPORTED
            stated.append(
                chance.choice(
                    RELATIONS[fact.relation].claims[:1] if number else RELATIONS[fact.relation].claims
                ).format(x=subject, v=value)
            )
        text = stated[0] if len(stated) == 1 else f"{stated[0].rstrip('.')}, and {stated[1]}"
        if verdict is Verdict.NEITHER:
            if len(titles) < 2 and len(everything) < 2:
                continue
            titles[-1] = chance.choice(everything)
            if titles[-1] == way[-1]:
                continue
        yield Claim(_capital(text.replace(", and which", ", which")), tuple(titles), verdict)


def written_claims(rows: Described, names: Sequence[str], chance: random.Random) -> Iterator[Claim]:
    """Take written claims as they are, edited, and beside evidence that lacks their last article."""
    for text, titles in rows:
        changed = edit(text, chance, names)
        way = chance.random()
        if changed is not None and way < 0.45:
            yield Claim(changed, titles, Verdict.CONTRADICTED)
        elif way < 0.9:
            yield Claim(text, titles, Verdict.SUPPORTED)
        else:
            other = chance.choice(rows)[1][-1]
            if other not in titles:
                yield Claim(text, (*titles[:-1], other), Verdict.NEITHER)


def _other(values: Sequence[str], value: str, chance: random.Random) -> str | None:
    """Give another article's value of the same relation that is no part of this one."""
    others = [v for v in chance.sample(values, min(6, len(values))) if v not in value and value not in v]
    return others[0] if others else None


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


_SYLLABLES = "ka ro mi sel tor van lin der bo ra ti nu fen gal hos mar ek ul ven dris".split()
_PEOPLE = (
    "Anna Ben Carla David Eva Femi Greta Hugo Ines Jakob Kenji Lena Milan Nadia Olav Priya Quinn Rosa Sven Tara Uma Victor".split(),  # noqa: E501
    "Aalto Brandt Conti Diaz Eriksen Fofana Garcia Hansen Ito Jansen Kowalski Lund Mbeki Nilsen Olsen Petrov Quist Reyes Sand".split(),  # noqa: E501
)
_TOWNS = "Tromsø Graz Porto Leeds Turku Gdansk Lyon Ghent Cork Malmö Basel Trieste Bremen Split Odense Kaunas".split()


class Column(NamedTuple):
    """A column of a made table: how its cells look, and how they are asked for."""

    name: str
    questions: tuple[str, ...]
    kind: str


_COLUMNS = {
    "people": (
        Column("Office", ("In which office does {x} work?", "Where is {x} based?", "Which office is {x} in?"), "town"),
        Column("Role", ("What is the role of {x}?", "What does {x} do?", "What job does {x} have?"), "role"),
        Column("Phone", ("What is the phone number of {x}?", "How can {x} be reached?"), "phone"),
        Column("Manager", ("Who is the manager of {x}?", "Who does {x} report to?"), "person"),
        Column("Started", ("When did {x} start?", "Since when has {x} worked here?"), "date"),
        Column("E-mail", ("What is the e-mail address of {x}?",), "mail"),
    ),
    "items": (
        Column("Price", ("What does {x} cost?", "How much is {x}?", "What is the price of {x}?"), "money"),
        Column("Stock", ("How many {x} are in stock?", "What is the stock of {x}?"), "count"),
        Column("Weight", ("How heavy is {x}?", "What does {x} weigh?", "What is the weight of {x}?"), "weight"),
        Column("Supplier", ("Who supplies {x}?", "From whom do we buy {x}?", "Which company makes {x}?"), "company"),
        Column("Delivery", ("How long is the delivery time of {x}?", "When is {x} delivered?"), "weeks"),
        Column("Shelf", ("On which shelf is {x}?", "Where is {x} stored?"), "code"),
    ),
    "projects": (
        Column("Lead", ("Who leads {x}?", "Who is the leader of {x}?", "Who is in charge of {x}?"), "person"),
        Column("Budget", ("What is the budget of {x}?", "How much money does {x} have?"), "money"),
        Column("Deadline", ("When is the deadline of {x}?", "When must {x} be finished?"), "date"),
        Column("Customer", ("Who is the customer of {x}?", "For whom is {x} done?"), "company"),
        Column("Status", ("What is the status of {x}?",), "status"),
        Column("Site", ("Where is the site of {x}?", "Where does {x} take place?"), "town"),
    ),
    "companies": (
        Column("Town", ("In which town is {x}?", "Where is {x} located?"), "town"),
        Column("Contact", ("Who is the contact at {x}?", "Whom do we talk to at {x}?"), "person"),
        Column("Payment", ("What are the payment terms of {x}?", "Within how many days must we pay {x}?"), "days"),
        Column("Founded", ("When was {x} founded?",), "year"),
        Column("Employees", ("How many employees does {x} have?", "How many people work at {x}?"), "count"),
    ),
}
_LEADS = {
    "Manager": "the manager of {x}",
    "Supplier": "the supplier of {x}",
    "Lead": "the leader of {x}",
    "Customer": "the customer of {x}",
    "Contact": "the contact person at {x}",
}
_TABLE_OF = {"person": "people", "company": "companies"}
_KEYS = {"people": "person", "companies": "company"}
_PROSE = ("{c} of {x}: {v}.", "The {c} of {x} is {v}.", "{x} ({c}: {v})")


def _cell(kind: str, chance: random.Random) -> str:
    number = chance.randint
    made = "".join(chance.sample(_SYLLABLES, chance.randint(2, 3))).capitalize()
    makers = {
        "town": lambda: chance.choice(_TOWNS),
        "person": lambda: " ".join(map(chance.choice, _PEOPLE)),
        "role": lambda: chance.choice(
            "welder,accountant,head of sales,nurse,site manager,developer,buyer,lawyer,chief engineer,receptionist".split(  # noqa: E501
                ","
            )
        ),
        "phone": lambda: f"+47 {number(20, 99)} {number(10, 99)} {number(10, 99)} {number(10, 99)}",
        "date": lambda: f"{number(1, 28)} {chance.choice(MONTHS)} {number(2015, 2027)}",
        "mail": lambda: f"{made.lower()}@{chance.choice(_SYLLABLES)}{chance.choice(_SYLLABLES)}.example",
        "money": lambda: (
            f"{chance.choice(('EUR', 'USD', 'NOK', '€', '£', '$'))} {number(2, 9900):,}"
            + chance.choice(("", ".50", ",000", " million"))
        ),
        "count": lambda: f"{number(2, 4000):,}",
        "weight": lambda: f"{number(1, 900)} {chance.choice(('kg', 'g', 't'))}",
        "company": lambda: f"{made} {chance.choice(('AS', 'Ltd', 'GmbH', 'Inc.', 'Works', 'Group', 'AB'))}",
        "weeks": lambda: f"{number(2, 16)} {chance.choice(('weeks', 'days', 'months'))}",
        "days": lambda: f"{number(10, 90)} days",
        "code": lambda: f"{chance.choice('ABCDEFGH')}-{number(1, 40)}",
        "year": lambda: str(number(1890, 2024)),
        "status": lambda: chance.choice("on track,delayed,finished,waiting for approval,on hold,cancelled".split(",")),
        "items": lambda: (
            f"{made} {chance.choice(('pump', 'hose', 'valve', 'winch', 'lamp', 'filter', 'motor', 'sensor'))}"
            + chance.choice(("", f" {number(2, 90)}"))
        ),
        "projects": lambda: chance.choice((f"project {made}", made, f"the {made} contract")),
    }
    return makers[kind]()


class Made(NamedTuple):
    """A question about made tables, the tables as texts, the answer (none: it is not said), and where it is said."""

    question: str
    texts: tuple[str, ...]
    answer: str
    where: int


def made_tables(count: int, chance: random.Random) -> Iterator[Made]:
    """Ask for cells of made tables, by the name in a row or through a cell of another table."""
    for _ in range(count):
        kind = chance.choice(list(_COLUMNS))
        first = _table(kind, chance, "")
        key, row = chance.choice(list(first.items()))
        leads = [c for c in row if c in _LEADS]
        texts = [_written(kind, first, chance)]
        phrase, asked, table_kind, where = key, row, kind, 0
        if leads and chance.random() < 0.55:
            lead = chance.choice(leads)
            table_kind = _TABLE_OF[next(c.kind for c in _COLUMNS[kind] if c.name == lead)]
            second = _table(table_kind, chance, row[lead])
            texts.append(_written(table_kind, second, chance))
            phrase, asked, where = _LEADS[lead].format(x=key), second[row[lead]], 1
        column = chance.choice([c for c in _COLUMNS[table_kind] if c.name in asked])
        answer = asked[column.name]
        if chance.random() < 0.12:
            missing = [c for c in _COLUMNS[table_kind] if c.name not in asked]
            if missing:
                column, answer = chance.choice(missing), ""
            elif where == 0:
                phrase, answer = _cell(_KEYS.get(kind, kind), chance), ""
        yield Made(_capital(chance.choice(column.questions).format(x=phrase)), tuple(texts), answer, where)


def _table(kind: str, chance: random.Random, key: str) -> dict[str, dict[str, str]]:
    columns = chance.sample(_COLUMNS[kind], chance.randint(2, min(5, len(_COLUMNS[kind]))))
    keys = {_cell(_KEYS.get(kind, kind), chance) for _ in range(chance.randint(2, 6))} | ({key} if key else set())
    ordered = sorted(keys)
    chance.shuffle(ordered)
    return {name: {c.name: _cell(c.kind, chance) for c in columns} for name in ordered}


def _written(kind: str, table: Mapping[str, Mapping[str, str]], chance: random.Random) -> str:
    """Write a table as rows with the names of their columns, as lines of a list, or as sentences."""
    head = {"people": "Name", "companies": "Company", "items": "Item", "projects": "Project"}[kind]
    title = chance.choice((f"{kind}: ", f"{kind.capitalize()} {chance.randint(2020, 2026)}: ", ""))
    if chance.random() < 0.65:
        rows = [" · ".join((f"{head}: {name}", *(f"{c}: {v}" for c, v in row.items()))) for name, row in table.items()]
    else:
        form = chance.choice(_PROSE)
        rows = [
            " ".join(_capital(form.format(c=c.lower(), x=name, v=v)) for c, v in row.items())
            for name, row in table.items()
        ]
    return title + "\n".join(rows)
