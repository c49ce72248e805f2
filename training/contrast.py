"""Generate claims beside sentences that support them, contradict them or do neither, by small edits and templates.

An edit changes what a sentence says: it negates a verb, or swaps a number, a month, a unit, a name, or a word for its
opposite or another of its kind. The edited sentence contradicts the original, and each supports itself, reworded a
little. Templates cover what edits do not: votes and decisions with both polarities negated, and rows of tables (cf.
contrast sets, Gardner et al. 2020). Labels are right by construction, except
that a swapped name may by chance still be true.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from enum import IntEnum
from typing import NamedTuple

from multihop.text import sentences


class Verdict(IntEnum):
    """What evidence says about a claim, in the order of the model's outputs."""

    SUPPORTED = 0
    CONTRADICTED = 1
    NEITHER = 2


class Example(NamedTuple):
    """A claim, the units it is judged by, and the verdict."""

    claim: str
    evidence: tuple[str, ...]
    verdict: Verdict


MONTHS = "January February March April May June July August September October November December".split()
NAME = re.compile(r"(?<=[a-z,] )(?:[A-Z][a-zé\-]+)(?: (?:of |the |de )?[A-Z][a-zé\-]+){0,3}")
_MONTH = "|".join(MONTHS)
_NUMBERS = "two three four five six seven eight nine ten eleven twelve".split()
_NUMBER = "|".join(_NUMBERS)
_AUXILIARIES = "is are was were has have had can could will would may must should".split()
_AUXILIARY = "|".join(_AUXILIARIES)
_BEFORE_NO_VERB = {*_AUXILIARIES, *"does do did might by of a an the not been be being".split()}
_PAST = dict(
    pair.split("/")
    for pair in """won/win lost/lose became/become began/begin wrote/write made/make took/take led/lead left/leave
    held/hold sold/sell bought/buy grew/grow fell/fall rose/rise gave/give went/go came/come met/meet built/build
    kept/keep spent/spend paid/pay said/say told/tell chose/choose broke/break drew/draw saw/see ran/run sang/sing
    spoke/speak found/find founded/found brought/bring taught/teach fought/fight sent/send lent/lend drove/drive
    wore/wear got/get""".split()
)
_SILENT_E = tuple("at iz ir as os ag eg ar ad ak am ap ot ut id in".split())
_NO_SILENT_E = tuple("join explain contain remain train obtain maintain".split())


def _opposites(pairs: str) -> dict[str, list[str]]:
    found: dict[str, list[str]] = {}
    for pair in pairs.split():
        one, other = pair.split("/")
        found.setdefault(one, []).append(other)
        found.setdefault(other, []).append(one)
    return found


_OPPOSITES = _opposites("""increased/decreased increase/decrease rose/fell rising/falling higher/lower largest/smallest
    larger/smaller north/south northern/southern east/west eastern/western accepted/rejected approved/rejected won/lost
    win/lose opened/closed above/below best/worst oldest/youngest older/younger early/late earlier/later male/female
    father/mother son/daughter brother/sister husband/wife public/private always/never minimum/maximum major/minor
    upper/lower inside/outside allowed/forbidden allows/forbids required/optional mandatory/optional enabled/disabled
    enable/disable supports/opposes supported/opposed passed/failed success/failure successful/unsuccessful
    include/exclude includes/excludes begins/ends began/ended buy/sell bought/sold import/export hot/cold
    positive/negative true/false winner/loser victory/defeat profit/loss gained/lost safe/dangerous
    possible/impossible legal/illegal gave/received lent/borrowed employer/employee teacher/student longer/shorter
    faster/slower strengthened/weakened expanded/shrank hired/dismissed agreed/refused praised/criticized
    cheap/expensive
    effective/ineffective active/inactive complete/incomplete correct/incorrect visible/invisible direct/indirect
    formal/informal dependent/independent reliable/unreliable known/unknown common/rare open/closed full/empty wet/dry
    heavy/light heavier/lighter strong/weak stronger/weaker high/low deep/shallow wide/narrow wider/narrower
    thick/thin rich/poor rural/urban ancient/modern old/new temporary/permanent domestic/foreign national/international
    internal/external natural/artificial single/married alive/dead guilty/innocent present/absent left/right
    front/back top/bottom day/night morning/evening summer/winter spring/autumn king/queen prince/princess uncle/aunt
    boy/girl man/woman men/women boys/girls actor/actress parent/child ancestor/descendant buyer/seller lender/borrower
    landlord/tenant plaintiff/defendant doctor/patient predecessor/successor ally/enemy
    arrived/departed arrives/departs arrive/depart entered/left joined/left appointed/dismissed elected/defeated
    built/demolished created/destroyed founded/dissolved attacked/defended defended/attacked accelerated/slowed
    rises/falls grew/shrank grows/shrinks raised/lowered raise/lower doubled/halved added/removed add/remove
    adds/removes starts/stops started/stopped start/stop remembered/forgot admitted/denied confirmed/denied
    granted/refused permitted/prohibited permits/prohibits encouraged/discouraged supported/attacked loved/hated
    liked/disliked trusted/distrusted improved/worsened better/worse gains/losses gain/loss income/expenses
    assets/liabilities surplus/deficit advantage/disadvantage strength/weakness majority/minority
    annually/monthly daily/weekly weekly/monthly monthly/quarterly quarterly/annually
    often/rarely usually/seldom frequently/seldom everyone/nobody everything/nothing voluntary/compulsory
    acidic/alkaline liquid/solid transparent/opaque horizontal/vertical
    carnivorous/herbivorous edible/poisonous professional/amateur sunny/cloudy upstream/downstream""")
_LOOSE_OPPOSITES = _opposites("""before/after first/last more/fewer more/less
    same/different all/none with/without on/off over/under into/from until/from least/most many/few both/neither
    good/bad long/short large/small big/small""")
"""Words whose exchange often gives an odd sentence: used in a third of the cases, where there is nothing better."""
_UNITS = _opposites("""million/billion thousand/million kilometers/miles km/miles hours/days days/weeks weeks/months
    months/years meters/feet dollars/euros kg/tonnes minutes/hours
    metres/feet kilometres/miles meters/kilometers metres/kilometres centimeters/meters mm/cm cm/m m/km seconds/minutes
    acres/hectares hectares/km pounds/kilograms kilograms/tonnes tons/kilograms grams/kilograms liters/gallons
    litres/gallons percent/points euros/pounds pounds/dollars trillion/billion hundred/thousand decades/years
    centuries/decades inches/feet yards/meters volts/watts watts/kilowatts megawatts/gigawatts kW/MW MW/GW MB/GB
    GB/TB degrees/percent rooms/floors seats/rooms year/month month/week week/day hour/minute day/hour
    mile/kilometer""")
_ALIKE = tuple(
    group.split()
    for group in """dog cat horse rabbit goat sheep pig cow hen duck goose parrot
    dogs cats horses rabbits goats pigs cows hens ducks geese
    red blue green yellow black white brown grey purple orange pink
    Monday Tuesday Wednesday Thursday Friday Saturday Sunday
    spring summer autumn winter
    breakfast lunch dinner supper
    first second third fourth fifth sixth
    wood steel glass concrete stone brick plastic aluminium copper leather wool cotton
    bread cheese rice fish chicken beef soup fruit cake
    yeast bacteria mould algae viruses
    coffee tea beer wine milk water juice
    piano violin guitar flute drums trumpet cello
    car train bus bicycle boat plane van lorry tram
    mother father sister brother aunt uncle cousin grandmother grandfather
    doctor teacher lawyer nurse engineer baker farmer painter journalist carpenter architect
    kitchen bedroom garden cellar attic garage office bathroom
    football tennis basketball hockey chess rugby cricket
    email letter phone fax post
    headache fever cough rash asthma diabetes
    British French German Italian Spanish Dutch Swedish Norwegian Polish Japanese Chinese Indian
    north south east west
    gold silver bronze
    Christmas Easter Pentecost
    cash card cheque
    roof wall floor door window ceiling""".split("\n")
)
"""Words of one kind: a sentence that says one of them denies the others."""
_KIND_OF = {word: group for group in _ALIKE for word in group}
_TAKING_SIDES = re.compile(r"\b(?:voted|vote|votes|argued|spoke|campaigned|fought) (for|against)\b")


def base_form(word: str) -> str | None:
    """Give the base form of a verb in the past tense; None for a word that does not look like one."""
    if word in _PAST:
        return _PAST[word]
    if not word.endswith("ed") or len(word) < 5:
        return None
    stem = word[:-2]
    if stem.endswith("i"):
        return stem[:-1] + "y"
    if len(stem) > 3 and stem[-1] == stem[-2] and stem[-1] not in "sl":
        return stem[:-1]
    silent = stem[-1] in "cvzu" or (stem.endswith(_SILENT_E) and not stem.endswith(_NO_SILENT_E))
    return stem + "e" if silent else stem


def _replace(sentence: str, found: re.Match[str], by: str, group: int = 0) -> str:
    return sentence[: found.start(group)] + by + sentence[found.end(group) :]


def negate(sentence: str, chance: random.Random, _names: Sequence[str] = ()) -> str | None:
    """Take a `not` away, or put one to the first auxiliary or the first verb in the past tense."""
    if negated := list(re.finditer(rf"\b(?:{_AUXILIARY}|does|do|did|might)( not)\b", sentence)):
        return _replace(sentence, chance.choice(negated), "", 1)
    auxiliary = re.search(rf"\b({_AUXILIARY})\b", sentence)
    verb = next((m for m in re.finditer(r"\b[a-z]{3,}\b", sentence) if base_form(m[0])), None)
    if auxiliary and (verb is None or chance.random() < 0.7):
        word = auxiliary[0]
        short = {"can": "can't", "will": "won't", "may": "may not"}.get(word, f"{word}n't")
        forms = (f"{word} not", f"{word} never", short)
        return _replace(sentence, auxiliary, chance.choices(forms, (60, 15, 25))[0])
    if verb is None or sentence[: verb.start()].rstrip().split(" ")[-1].lower() in _BEFORE_NO_VERB:
        return None
    negation = chance.choice(("did not", "did not", "didn't", "never"))
    return _replace(sentence, verb, f"never {verb[0]}" if negation == "never" else f"{negation} {base_form(verb[0])}")


def change_number(sentence: str, chance: random.Random, _names: Sequence[str] = ()) -> str | None:
    digits = list(re.finditer(r"(?<![\w.,])\d+(?:,\d{3})*(?:\.\d+)?(?!\w)", sentence))
    words = list(re.finditer(rf"\b(?:{_NUMBER})\b", sentence))
    if words and (not digits or chance.random() < 0.2):
        found = chance.choice(words)
        return _replace(sentence, found, chance.choice([n for n in _NUMBERS if n != found[0]]))
    if not digits:
        return None
    found = chance.choice(digits)
    value = float(found[0].replace(",", ""))
    if re.fullmatch(r"1\d{3}|20\d\d", found[0]):
        other = value + chance.choice((-100, -20, -10, -5, -2, -1, 1, 2, 3, 7, 10, 13))
    elif chance.random() < 0.3:
        other = value * chance.choice((0.1, 0.5, 2, 10))
    else:
        other = abs(value + chance.choice((-10, -2, -1, 1, 2, 3, 5, 10) if value > 12 else (1, 2, 3)))
    other = round(other, 1 if "." in found[0] else 0)
    other = value + 1 if other == value else other
    written = f"{other:{',' if ',' in found[0] else ''}.{1 if '.' in found[0] else 0}f}"
    return _replace(sentence, found, written)


def change_month(sentence: str, chance: random.Random, _names: Sequence[str] = ()) -> str | None:
    if not (found := list(re.finditer(rf"\b(?:{_MONTH})\b", sentence))):
        return None
    month = chance.choice(found)
    return _replace(sentence, month, chance.choice([m for m in MONTHS if m != month[0]]))


def change_to_opposite(sentence: str, chance: random.Random, _names: Sequence[str] = ()) -> str | None:
    if sides := list(_TAKING_SIDES.finditer(sentence)):
        side = chance.choice(sides)
        return _replace(sentence, side, "against" if side[1] == "for" else "for", 1)
    for opposites, share in ((_OPPOSITES, 1.0), (_LOOSE_OPPOSITES, 0.35)):
        words = [m for m in re.finditer(r"\b[a-z]+\b", sentence) if m[0] in opposites]
        if words and chance.random() < share:
            word = chance.choice(words)
            return _replace(sentence, word, chance.choice(opposites[word[0]]))
    return None


def change_kind(sentence: str, chance: random.Random, _names: Sequence[str] = ()) -> str | None:
    """Put another thing of the same kind: another animal, color, day or material."""
    if not (found := [m for m in re.finditer(r"\b[A-Za-z]+\b", sentence) if m[0] in _KIND_OF]):
        return None
    word = chance.choice(found)
    others = [other for other in _KIND_OF[word[0]] if not re.search(rf"\b{other}\b", sentence)]
    return _replace(sentence, word, chance.choice(others)) if others else None


def change_unit(sentence: str, chance: random.Random, _names: Sequence[str] = ()) -> str | None:
    found = [
        m for m in re.finditer(rf"(?:(?<=\d )|(?<=\d-)|\b(?:{_NUMBER}) )([A-Za-z]+)\b", sentence) if m[1] in _UNITS
    ]
    if not found:
        return None
    unit = chance.choice(found)
    return _replace(sentence, unit, chance.choice(_UNITS[unit[1]]), 1)


def swap_name(sentence: str, chance: random.Random, names: Sequence[str] = ()) -> str | None:
    """Put another name for one inside the sentence, of as many words where there is one."""
    found = [m for m in NAME.finditer(sentence) if m[0].split()[0] not in MONTHS]
    others = [n for n in chance.sample(list(names), min(12, len(names))) if n not in sentence]
    if not found or not others:
        return None
    name = chance.choice(found)
    return _replace(sentence, name, min(others, key=lambda n: len(n.split()) != len(name[0].split())))


OPERATIONS: dict[Callable[..., str | None], int] = {
    negate: 2, change_number: 2, change_month: 1, change_to_opposite: 2, change_kind: 4, change_unit: 1, swap_name: 2,
}  # fmt: skip
"""The edits, by how often each is tried."""


def edit(sentence: str, chance: random.Random, names: Sequence[str], tries: int = 4) -> str | None:
    """Change what a sentence says; None where no edit that was tried applies."""
    for operation in chance.choices(list(OPERATIONS), list(OPERATIONS.values()), k=tries):
        changed = operation(sentence, chance, names)
        if changed is not None and changed != sentence:
            return changed
    return None


def reword(sentence: str, chance: random.Random) -> str:
    """Change the wording and keep the meaning: drop an aside, write dates and numbers another way."""
    said = re.sub(r" \([^()]*\)", "", sentence)
    if chance.random() < 0.5 and (m := re.match(r"(.{40,}?), (?:which|who|where|and|but|although|while) .*$", said)):
        said = f"{m[1]}."
    if chance.random() < 0.7:
        swapped = re.sub(rf"\b(\d{{1,2}}) ({_MONTH}) (\d{{4}})\b", r"\2 \1, \3", said)
        said = swapped if swapped != said else re.sub(rf"\b({_MONTH}) (\d{{1,2}}), (\d{{4}})\b", r"\2 \1 \3", said)
    if chance.random() < 0.5:
        said = re.sub(r"(?<=\d),(?=\d{3}\b)", "", said)
        said = said.replace(" did not ", " didn't ").replace(" is not ", " isn't ")
    if chance.random() < 0.3:
        said = re.sub(rf"\b(?:{_NUMBER})\b", lambda m: str(_NUMBERS.index(m[0]) + 2), said)
    return said.replace("voted for ", "voted in favor of ").replace("approximately", "about")


def from_sentences(title: str, text: str, chance: random.Random, names: Sequence[str]) -> list[Example]:
    """Make up to two examples of a text: sentences or their edits as claims, their neighborhoods as evidence."""
    every = [s.strip() for s in sentences(text) if 5 <= len(s.split()) <= 38]
    found: list[Example] = []
    for _ in range(2 if len(every) > 1 else 0):
        place = chance.randrange(len(every))
        original = every[place]
        first, last = max(0, place - chance.randint(0, 2)), place + chance.randint(0, 2)
        prefix = f"{title}: " if title and chance.random() < 0.6 else ""
        if chance.random() < 0.15:
            others = [prefix + s for s in every if s != original][:4]
            if others:
                found.append(Example(reword(original, chance), tuple(others), Verdict.NEITHER))
            continue
        changed = edit(original, chance, names)
        seed = chance.random()
        said = {s: reword(s, random.Random(seed)) for s in (original, changed) if s}
        # Rewording may drop the very words that the edit changed: what is left then contradicts nothing.
        if changed is None or said[original] == said[changed]:
            changed = original
        claim, stated = chance.choices(
            ((changed, original), (original, changed), (changed, changed), (original, original)), (30, 15, 15, 25)
        )[0]
        around = tuple(prefix + (stated if s == original else s) for s in every[first : last + 1])
        found.append(Example(said[claim], around, Verdict(int(claim != stated))))
    return found


_SUBJECT = re.compile(
    r"^(?:who|what|which(?: [a-z]+){1,3}?|what (?:type|kind|name|city|country|year|company|group|person|team))"
    r" (?P<rest>(?:is|was|are|were|has|had|can|could|will|would|may|must|[a-z]{3,}ed|[a-z]{3,}[^ei\W]s) [^?]{6,})\?*$",
    re.IGNORECASE,
)
_TIME = re.compile(r"^(?:when|in (?:what|which) year) did (?P<rest>[^?]{6,})\?*$", re.IGNORECASE)
_LONGEST_ANSWER = 8


def state(question: str, answer: str) -> str | None:
    """Say what a question and its answer say, as a sentence; None for questions of other forms (cf. Demszky 2018)."""
    question, answer = " ".join(question.split()), answer.strip(" .,;:")
    if not answer or len(answer.split()) > _LONGEST_ANSWER:
        return None
    if found := _SUBJECT.match(question):
        return f"{answer[:1].upper()}{answer[1:]} {found['rest'].strip()}."
    if found := _TIME.match(question):
        # Where the subject ends cannot be seen, so the verb stays as it was asked for.
        said = (
            answer
            if answer.split()[0].lower() in ("in", "on", "at", "from", "by", "during", "after")
            else f"in {answer}"
        )
        return f"{said[:1].upper()}{said[1:]} {found['rest'].strip()}."
    return None


def kind_of_answer(answer: str) -> str:
    """Tell answers of different kinds apart, so that one is not exchanged for another."""
    if re.search(r"\b(?:1\d|20)\d\d\b", answer):
        return "date"
    if re.search(r"\d", answer):
        return "number"
    return "name" if answer[:1].isupper() else f"words {min(4, len(answer.split()))}"


class Stance(NamedTuple):
    """Ways to say that somebody did something, did the opposite, and did not do either of them."""

    done: tuple[str, ...]
    opposite: tuple[str, ...]
    not_done: tuple[str, ...] = ()
    not_opposite: tuple[str, ...] = ()

    def says(self, evidence: int, claim: int) -> Verdict:
        """Judge one field by another: not to have voted for something is not to have voted against it."""
        if evidence == claim or (evidence < 2 and claim == 3 - evidence):
            return Verdict.SUPPORTED
        return Verdict.NEITHER if evidence >= 2 and claim != evidence - 2 else Verdict.CONTRADICTED


STANCES = (
    Stance(("voted for {o}", "voted in favor of {o}", "cast a vote for {o}", "backed {o} in the vote"),
           ("voted against {o}", "cast a vote against {o}", "opposed {o} in the vote"),
           ("did not vote for {o}", "did not vote in favor of {o}", "didn't vote for {o}"),
           ("did not vote against {o}", "didn't vote against {o}")),
    Stance(("approved {o}", "gave {o} its approval", "said yes to {o}"), ("rejected {o}", "turned down {o}"),
           ("did not approve {o}", "never approved {o}"), ("did not reject {o}", "never rejected {o}")),
    Stance(("approved {o}", "decided to go ahead with {o}", "gave {o} the green light"),
           ("discussed {o} and postponed the decision", "deferred {o} to the next meeting", "took no decision on {o}",
            "postponed {o}", "put {o} on hold"),
           ("has not approved {o}", "has yet to approve {o}")),
    Stance(("signed {o}", "put a signature under {o}"), ("refused to sign {o}", "declined to sign {o}"),
           ("did not sign {o}", "never signed {o}"), ("did not refuse to sign {o}",)),
    Stance(("supports {o}", "is in favor of {o}", "backs {o}"), ("opposes {o}", "is against {o}"),
           ("does not support {o}", "is not in favor of {o}"), ("does not oppose {o}", "is not against {o}")),
    Stance(("won the vote on {o}", "was victorious in the vote on {o}"),
           ("lost the vote on {o}", "was defeated in the vote on {o}"),
           ("did not win the vote on {o}",), ("did not lose the vote on {o}",)),
    Stance(("accepted {o}", "agreed to {o}"), ("declined {o}", "refused {o}"),
           ("did not accept {o}",), ("did not decline {o}", "did not refuse {o}")),
    Stance(("announced {o} in {y}", "made {o} public in {y}"), ("first announced {o} in {z}", "announced {o} in {z}"),
           ("did not announce {o} in {y}",)),
    Stance(("spent {n} million euros on {o}", "paid {n} million euros for {o}", "put €{n} million into {o}"),
           ("spent {m} million euros on {o}", "paid {m} million euros for {o}")),
    Stance(("spent {n} million euros on {o}", "paid {n} million euros for {o}"),
           ("spent {n} billion euros on {o}", "put €{n} billion into {o}")),
    Stance(("completed {o} ahead of schedule", "finished {o} early"),
           ("completed {o} behind schedule", "finished {o} late"),
           ("did not finish {o} early",), ("did not finish {o} late",)),
    Stance(("increased spending on {o} by {n} percent", "raised spending on {o} by {n} percent"),
           ("cut spending on {o} by {n} percent", "reduced spending on {o} by {n} percent")),
    Stance(("increased spending on {o} by {n} percent",), ("raised spending on {o} by {m} percent",)),
)  # fmt: skip
_WHO = (
    *"Norway The_board The_council The_committee The_union The_mayor The_regulator The_parliament".split(),
    *"Our_supplier The_opposition Maria_Vik Jonas_Eide Dr._Okafor Ms._Lindqvist Senator_Holm".split(),
)
_WHAT = (
    *"loan new_budget merger proposal harbor_plan contract wage_deal amendment office_move".split(),
    *"tax_reform bridge_project climate_bill audit_report extension bid".split(),
)
_PASSIVES = {
    "approved {o}": "{o} was approved", "rejected {o}": "{o} was rejected", "signed {o}": "{o} was signed",
    "postponed {o}": "{o} was postponed", "accepted {o}": "{o} was accepted", "declined {o}": "{o} was declined",
    "did not approve {o}": "{o} was not approved", "has not approved {o}": "{o} has not been approved",
    "turned down {o}": "{o} was turned down", "did not sign {o}": "{o} was not signed",
}  # fmt: skip
_LABELS = (" ({n}-{y})", " no. {n}", " W-{n}", " (item {n})")
"""How a thing is told apart in a text; a claim about it need not repeat that."""
_FIELD_PAIRS = tuple((evidence, claim) for evidence in range(4) for claim in range(4))
_VOTES = 3
"""How often votes, the first of the stances, come up beside each of the others."""
_NEGATED = 2
"""How often a pair with a negation comes up beside one without: the model confuses those most."""


def from_stances(chance: random.Random) -> Example:
    """Make an example of who took which side: verdicts first, so that each pair of polarities comes up often."""
    who, other = (name.replace("_", " ") for name in chance.sample(_WHO, 2))
    what, else_ = (f"the {name.replace('_', ' ')}" for name in chance.sample(_WHAT, 2))
    year, number = chance.randint(1995, 2026), chance.randint(2, 95)
    numbers = {"y": year, "z": year + chance.choice((-3, -1, 1)), "n": number, "m": number + chance.choice((1, 2, 5))}
    stance = chance.choices(STANCES, (_VOTES, *(1 for _ in STANCES[1:])))[0]
    wanted = chance.choices(tuple(Verdict), (40, 45, 15))[0]
    pairs = [(e, c) for e, c in _FIELD_PAIRS if stance[e] and stance[c] and stance.says(e, c) is wanted]
    of, about = who, what
    if wanted is Verdict.NEITHER and (not pairs or chance.random() < 0.7):
        pairs = [(e, c) for e, c in _FIELD_PAIRS if stance[e] and stance[c]]
        of, about = chance.choice(((other, what), (who, else_)))
    evidence, claim = chance.choices(pairs, [_NEGATED if max(pair) > 1 else 1 for pair in pairs])[0]
    label = chance.choice(_LABELS).format(**numbers) if chance.random() < 0.15 else ""
    stated = [f"{who} {chance.choice(stance[evidence])}.".format(o=what + label, **numbers)]
    if of == who and about == what and chance.random() < 0.5:
        stated.append(f"{other} {chance.choice(stance[chance.randrange(2)])}.".format(o=else_, **numbers))
    chance.shuffle(stated)
    said = chance.choice(stance[claim])
    if of == who and said in _PASSIVES and chance.random() < 0.5:
        text = _PASSIVES[said].format(o=about)
        return Example(f"{text[:1].upper()}{text[1:]}.", tuple(stated), wanted)
    return Example(f"{of} {said}.".format(o=about, **numbers), tuple(stated), wanted)


_FIRST = "Pia Jonas Maria Lars Ingrid Omar Chen Aisha Peter Lucia Tom Hanna Erik Nora Samuel Yuki Ravi Elena".split()
_LAST = "Holm Berg Lind Okafor Wang Silva Eide Moen Costa Novak Patel Haugen Vik Larsen Meyer Rossi Dahl Sato".split()
_ROLES = (
    *"manager analyst engineer accountant buyer director assistant inspector office_manager head_of_sales".split(),
    *"site_engineer chief_accountant harbor_master project_lead safety_officer head_of_procurement caretaker".split(),
)
_CELLS: dict[str, Callable[[random.Random], str]] = {
    "Office": lambda r: r.choice("Sandnes Bergen Oslo Molde Bodø Berlin Paris Lisbon Prague Vienna Riga".split()),
    "Department": lambda r: r.choice("Finance Sales Engineering Legal Procurement Support Marketing".split()),
    "Role": lambda r: r.choice(_ROLES).replace("_", " "),
    "Start": lambda r: f"{r.randint(1, 28)} {r.choice(MONTHS)} {r.randint(2001, 2026)}",
    "Extension": lambda r: str(r.randint(1000, 9999)),
    "Budget": lambda r: f"{r.randint(10, 990) * 1000:,} EUR",
    "Status": lambda r: r.choice("open closed delayed approved draft".split()),
    "Project": lambda r: r.choice("Kittiwake Osprey Heron Falcon Puffin Gannet".split()),
}
_CLAIMS = {
    "Office": ("{n} works in the {v} office.", "{n} is based in {v}.", "The office of {n} is {v}."),
    "Department": ("{n} works in {v}.", "{n} belongs to the {v} department."),
    "Role": ("The role of {n} is {v}.", "{n} works as {v}.", "{n} is the {v}.", "{n} is the {v}.", "The {v} is {n}."),
    "Start": ("{n} started on {v}.", "The start date of {n} is {v}."),
    "Extension": ("The extension of {n} is {v}.", "You reach {n} at extension {v}."),
    "Budget": ("{n} has a budget of {v}.", "The budget of {n} is {v}."),
    "Status": ("The status of {n} is {v}.",),
    "Project": ("{n} works on {v}.", "{n} is assigned to project {v}."),
}


def from_table(chance: random.Random) -> Example:
    """Make an example of rows with column names: a cell, another row's cell, or one that the table does not have."""
    columns = chance.sample(list(_CELLS), chance.randint(2, 5))
    people = [f"{chance.choice(_FIRST)} {last}" for last in chance.sample(_LAST, chance.randint(3, 6))]
    absent, rows = people[0], {name: {c: _CELLS[c](chance) for c in columns} for name in people[1:]}
    between = chance.choice((" · ", " | ", "; ", ", "))
    told = chance.choice((str, str, str.lower))
    evidence = tuple(
        between.join((f"{told('Name')}: {n}", *(f"{told(c)}: {v}" for c, v in r.items()))) for n, r in rows.items()
    )
    name, column = chance.choice(list(rows)), chance.choice(columns)
    value = rows[name][column]
    verdict = chance.choices(tuple(Verdict), (40, 35, 25))[0]
    if verdict is Verdict.CONTRADICTED:
        others = [r[column] for r in rows.values() if r[column] != value]
        while not others:
            others = [v for v in (_CELLS[column](chance),) if v != value]
        value = chance.choice(others)
    elif verdict is Verdict.NEITHER and chance.random() < 0.6:
        column = chance.choice([c for c in _CELLS if c not in columns])
        value = _CELLS[column](chance)
    elif verdict is Verdict.NEITHER:
        name = absent
    claim = chance.choice(_CLAIMS[column]).format(n=name, v=value)
    if verdict is not Verdict.NEITHER and " is " in claim and chance.random() < 0.2:
        claim, verdict = claim.replace(" is ", " is not ", 1), Verdict(1 - verdict)
    return Example(claim, evidence, verdict)
