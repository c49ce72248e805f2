"""Write short texts in which two things are told apart, and ask and claim things about them.

What held before and what holds now, who follows whom, what was proposed and what was decided, the rule and its
exception, two sides in one sentence: a reader that only looks for words near those of the question takes the wrong one.
Each scene is a template with values of its own; a text joins several, so that the others are there to be mistaken.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from contrast import MONTHS, Example, Verdict

Chance = random.Random
SUPPORTED, CONTRADICTED, NEITHER = Verdict

FIRST = (
    "Ada Bruno Carla Dmitri Elif Farid Greta Hugo Irina Jamal Katya Liam Marit Niko Olga Pablo Quinn Rosa Stefan Tilda"
    " Umar Vera Walter Ximena Yusuf Zofia Agnes Bram Chloe Edwin Fatima Gunnar Helena Ivo Judit Kofi Leila Matthew"
).split()
LAST = (
    "Abbott Brandt Castellan Dvorak Engström Fairley Grunwald Hollis Ibarra Jansen Kowal Lemaire Marsh Nyström Ortega"
    " Pruitt Quist Rahman Sandoval Thorne Ueda Vance Whitaker Yilmaz Zeller Achterberg Boyle Cardew Duarte Easton Fenn"
).split()
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
PLACES = (
    "hall library canteen workshop cellar attic garden office gym kitchen archive chapel lobby studio garage courtyard"
).split()
TOWNS = "Aldmoor Brekka Casselton Dunmere Eastvale Fjellby Grantham Hexley Ilmenau Jarrow Kelso Lindau Marlow".split()
THINGS = (
    "heater printer boiler projector piano lift fence roof pump oven bicycle tent generator telescope van scanner"
).split()
FOODS = "soup bread stew salad cake cheese fish rice lentils pancakes".split()
EVENTS = (
    "choir practice|the staff meeting|the spring fair|the annual dinner|the yoga class|the book club|the market"
    "|the audit|the clean-up day|the chess tournament|the guided tour|the fire drill|the open day|the summer concert"
).split("|")
POSTS = (
    "treasurer|caretaker|editor of the newsletter|head of the kitchen|chair of the board|secretary|coach|team leader"
    "|safety officer|librarian|project manager|chief engineer|spokesperson|accountant|ward sister|press officer"
).split("|")
PLANS = (
    "buy a second van|open on Sundays|raise the fee|hire a gardener|paint the fence green|sell the old piano"
    "|allow dogs in the garden|move the archive to the cellar|cancel the trip|replace the boiler|ban mobile phones"
    "|build a new shed|change the supplier|lengthen the opening hours|end the contract with the cleaners"
).split("|")
BODIES = "The board|The committee|The council|The members|The assembly|The team|The governors|The jury".split("|")
LIMITS = (
    "speed limit|maximum load|opening time|entry fee|water temperature|number of seats|deposit|noise limit|waiting time"
).split("|")
_VALUES: dict[str, Callable[[Chance], str]] = {
    "speed limit": lambda r: f"{r.randint(3, 90)} {r.choice(('km/h', 'knots', 'mph'))}",
    "maximum load": lambda r: f"{r.randint(2, 90) * 10} {r.choice(('kg', 'tonnes'))}",
    "opening time": lambda r: f"{r.randint(6, 11)} {r.choice(('am', 'o’clock', '30 am'))}".replace(" 30", ":30"),
    "entry fee": lambda r: f"{r.choice('€£$')}{r.randint(2, 60)}",
    "water temperature": lambda r: f"{r.randint(8, 80)} °C",
    "number of seats": lambda r: str(r.randint(12, 900)),
    "deposit": lambda r: f"{r.randint(2, 90) * 25} {r.choice(('euros', 'pounds', 'kronor', 'dollars'))}",
    "noise limit": lambda r: f"{r.randint(35, 95)} decibels",
    "waiting time": lambda r: f"{r.randint(2, 60)} {r.choice(('days', 'minutes', 'weeks'))}",
}


class Ask(NamedTuple):
    """A question and its answer: words of the text, or yes or no."""

    question: str
    answer: str


class Scene(NamedTuple):
    """What is told, the questions it answers, and claims about it."""

    told: str
    asked: Sequence[Ask]
    claimed: Sequence[tuple[str, Verdict]]


def person(r: Chance) -> str:
    title = r.choice(("", "", "", "", "Mr ", "Ms ", "Dr ", "Mrs "))
    return f"{title}{r.choice(LAST)}" if title else f"{r.choice(FIRST)} {r.choice(LAST)}"


def _two(r: Chance, make: Callable[[Chance], str]) -> tuple[str, str]:
    """Give two things; persons have different last names."""
    one = other = make(r)
    while other == one or (make is person and other.split()[-1] == one.split()[-1]):
        other = make(r)
    return one, other


def _values(what: str, r: Chance) -> tuple[str, str]:
    """Give two values in the same unit."""
    one = other = _VALUES[what](r)
    while other == one or _DIGITS.sub("", other) != _DIGITS.sub("", one):
        other = _VALUES[what](r)
    return one, other


def _another(what: str, told: Sequence[str], r: Chance) -> str:
    """Give a value that is not told."""
    while (value := _VALUES[what](r)) in told:
        pass
    return value


_DIGITS = re.compile(r"\d+")


def capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def succession(r: Chance) -> Scene:
    """One person takes over a post from another."""
    new, old = _two(r, person)
    post, month, years = r.choice(POSTS), r.choice(MONTHS), r.randint(2, 19)
    told = r.choice((
        f"{new} takes over as {post} from {old} in {month}.",
        f"{old} steps down as {post} at the end of {month}. The successor is {new}.",
        f"{new} is the new {post}. {old} had held the post for {years} years.",
        f"In {month} {new} follows {old}, who was {post} for {years} years.",
        f"{old} handed over to {new}, who has been {post} since {month}.",
        f"The {post} is now {new}; until {month} it was {old}.",
        f"{old} left in {month} after {years} years as {post}, and {new} was appointed in a hurry.",
        f"{new} replaced {old} as {post} in {month}.",
        f"Since {old} has moved to {r.choice(TOWNS)}, {new} does the work of the {post}.",
    ))  # fmt: skip
    return Scene(
        told,
        (
            Ask(f"Who is the {post} now?", new), Ask(f"Who is the new {post}?", new),
            Ask(f"Who was the {post} before {new}?", old), Ask(f"Who took over from {old}?", new),
            Ask(f"Whose successor is {new}?", old), Ask(f"Who is the successor of {old}?", new),
            Ask(f"Who was the previous {post}?", old), Ask(f"Is {old} still the {post}?", "no"),
        ),
        (
            (f"{new} is the {post} now.", SUPPORTED), (f"{new} succeeded {old}.", SUPPORTED),
            (f"{old} was {post} before {new}.", SUPPORTED), (f"{old} is still the {post}.", CONTRADICTED),
            (f"{old} took over from {new}.", CONTRADICTED), (f"{old} is the new {post}.", CONTRADICTED),
            (f"{new} was born in {r.choice(TOWNS)}.", NEITHER), (f"{old} left because of a quarrel.", NEITHER),
            (f"The {post} before {new} was {person(r)}.", CONTRADICTED),
        ),
    )  # fmt: skip


def moved(r: Chance) -> Scene:
    """An event gets another day or place."""
    event = r.choice(EVENTS)
    kind = r.choice(("day", "place"))
    if kind == "day":
        old, new = _two(r, lambda c: c.choice(DAYS))
        on, which = "on ", "On which day"
    else:
        old, new = (f"the {p}" for p in _two(r, lambda c: c.choice(PLACES)))
        on, which = "in ", "Where"
    why = r.choice(("because the floor is being polished", "because of the holiday", "as too few could come", ""))
    told = r.choice((
        f"{capital(event)} is moved from {old} to {new} this time{' ' + why if why else ''}.",
        f"{capital(event)} will not be {on}{old} but {on}{new}{', ' + why if why else ''}.",
        f"Please note: {event} takes place {on}{new}, no longer {on}{old}.",
        f"{capital(event)} used to be {on}{old}. It is {on}{new} now.",
        f"Instead of {on}{old}, {event} is {on}{new}.",
        f"We wanted to hold {event} {on}{old}, but that did not work out, so it will be {on}{new}.",
    ))  # fmt: skip
    return Scene(
        told,
        (
            Ask(f"{which} is {event}?", new), Ask(f"{which} does {event} take place now?", new),
            Ask(f"{which} was {event} meant to be before?", old), Ask(f"Is {event} {on}{old}?", "no"),
            Ask(f"Is {event} {on}{new}?", "yes"),
        ),
        (
            (f"{capital(event)} is {on}{new}.", SUPPORTED), (f"{capital(event)} is {on}{old}.", CONTRADICTED),
            (f"{capital(event)} takes place {on}{old} this time.", CONTRADICTED),
            (f"{capital(event)} is no longer {on}{old}.", SUPPORTED),
            (f"{capital(event)} was cancelled.", CONTRADICTED), (f"{capital(event)} lasts two hours.", NEITHER),
        ),
    )  # fmt: skip


def changed(r: Chance) -> Scene:
    """A value is raised, lowered, corrected, or kept."""
    what, place = r.choice(LIMITS), r.choice(PLACES)
    old, new = _values(what, r)
    thing = f"the {what} {r.choice(('in', 'for', 'of'))} the {place}"
    if r.random() < 0.25:
        told = r.choice((
            f"{capital(thing)} stays at {old}; a proposal to make it {new} found no majority.",
            f"There was a suggestion to set {thing} to {new}, but it was decided to keep it at {old}.",
        ))  # fmt: skip
        return Scene(
            told,
            (Ask(f"What is {thing}?", old), Ask(f"What was proposed for {thing}?", new)),
            ((f"{capital(thing)} is {old}.", SUPPORTED), (f"{capital(thing)} was changed to {new}.", CONTRADICTED),
             (f"{capital(thing)} is {new}.", CONTRADICTED), (f"{capital(thing)} was not changed.", SUPPORTED)),
        )  # fmt: skip
    told = r.choice((
        f"{capital(thing)} is now {new} (was {old}).",
        f"{capital(thing)} has been changed from {old} to {new}.",
        f"{capital(thing)} is {new} instead of {old}.",
        f"{person(r)} pointed out that {thing} is {new}, not {old} as the notice says.",
        f"Until {r.choice(MONTHS)} {thing} was {old}; since then it has been {new}.",
        f"{capital(thing)} was wrongly given as {old}. The right figure is {new}.",
    ))  # fmt: skip
    return Scene(
        told,
        (Ask(f"What is {thing}?", new), Ask(f"What is {thing} now?", new), Ask(f"What was {thing} before?", old)),
        (
            (f"{capital(thing)} is {new}.", SUPPORTED), (f"{capital(thing)} is {old}.", CONTRADICTED),
            (f"{capital(thing)} is still {old}.", CONTRADICTED),
            (f"{capital(thing)} is {_another(what, (old, new), r)}.", CONTRADICTED),
            (f"{capital(thing)} is the highest in {r.choice(TOWNS)}.", NEITHER),
        ),
    )  # fmt: skip


_DEEDS = (
    ("brought", "{p} brought the {x} and {q} the {y}.", "Who brought the {x}?", "What did {p} bring?"),
    ("paid for", "{p} paid for the {x}, {q} for the {y}.", "Who paid for the {x}?", "What did {p} pay for?"),
    ("looks after", "{p} looks after the {x}; the {y} is looked after by {q}.", "Who looks after the {x}?",
     "What does {p} look after?"),
    ("ordered", "The {x} was ordered by {p} and the {y} by {q}.", "Who ordered the {x}?", "What did {p} order?"),
    ("fixed", "{p} fixed the {x}, while {q} fixed the {y}.", "Who fixed the {x}?", "What did {p} fix?"),
    ("chose", "{p} wanted the {y}, but chose the {x} when {q} chose the {y}.", "Who chose the {x}?",
     "What did {p} choose?"),
)  # fmt: skip
"""Who did which: the verb of a claim, the sentence, and the questions for the person and the thing."""


def sides(r: Chance) -> Scene:
    """Two things in one sentence, each with its own value or person."""
    if r.random() < 0.5:
        what, (one, other) = r.choice(LIMITS), _two(r, lambda c: c.choice(PLACES))
        x, y = _values(what, r)
        told = r.choice((
            f"The {what} in the {one} is {x}, in the {other} {y}.",
            f"The {what} is {x} in the {one} and {y} in the {other}.",
            f"While the {what} of the {one} is {x}, that of the {other} is {y}.",
            f"{capital(what)}: {one} {x}, {other} {y}.",
            f"The {one} and the {other} have a {what} of {x} and {y} respectively.",
        ))  # fmt: skip
        return Scene(
            told,
            (Ask(f"What is the {what} in the {one}?", x), Ask(f"What is the {what} in the {other}?", y),
             Ask(f"What is the {what} of the {other}?", y), Ask(f"Where is the {what} {y}?", other)),
            ((f"The {what} in the {one} is {x}.", SUPPORTED), (f"The {what} in the {other} is {y}.", SUPPORTED),
             (f"The {what} in the {one} is {y}.", CONTRADICTED), (f"The {what} in the {other} is {x}.", CONTRADICTED),
             (f"The {what} in the {r.choice([p for p in PLACES if p not in (one, other)])} is {x}.", NEITHER)),
        )  # fmt: skip
    (p, q), (x, y) = _two(r, person), _two(r, lambda c: c.choice((*THINGS, *FOODS)))
    did, told, who, what = r.choice(_DEEDS)
    told, who, what = (each.format(p=p, q=q, x=x, y=y) for each in (told, who, what))
    return Scene(
        told,
        (Ask(who, p), Ask(who.replace(x, y), q), Ask(what, x), Ask(what.replace(p, q), y)),
        (
            (f"{p} {did} the {x}.", SUPPORTED), (f"{q} {did} the {y}.", SUPPORTED),
            (f"{q} {did} the {x}.", CONTRADICTED), (f"{p} {did} the {y}.", CONTRADICTED),
            (f"{p} and {q} are {r.choice(('married', 'neighbours', 'cousins'))}.", NEITHER),
        ),
    )  # fmt: skip


def decision(r: Chance) -> Scene:
    """Something is proposed, and then decided, turned down or put off."""
    who, plan, body = person(r), r.choice(PLANS), r.choice(BODIES)
    outcome = r.choice(("yes", "no", "later"))
    ending = {
        "yes": (f"{body} agreed", f"{body} said yes", "This was accepted by a large majority",
                f"{body} followed the proposal with only two votes against"),
        "no": (f"{body} did not agree", f"{body} turned this down", "There were more votes against than for it",
               f"After a long discussion {body[0].lower() + body[1:]} said no", "It was rejected"),
        "later": (f"{body} will decide next month", "No decision was taken", f"{body} wants to see a quote first",
                  f"{body} postponed the decision"),
    }[outcome]  # fmt: skip
    told = r.choice((
        f"{who} proposed to {plan}. {r.choice(ending)}.",
        f"{who} asked whether to {plan}. {r.choice(ending)}.",
        f"There was a motion by {who} to {plan}. {r.choice(ending)}.",
    ))  # fmt: skip
    agreed = {"yes": SUPPORTED, "no": CONTRADICTED, "later": CONTRADICTED}[outcome]
    refused = {"yes": CONTRADICTED, "no": SUPPORTED, "later": CONTRADICTED}[outcome]
    asked = [Ask(f"Who proposed to {plan}?", who), Ask(f"Who suggested to {plan}?", who)]
    if outcome != "later":
        asked.append(Ask(f"Was the proposal to {plan} accepted?", outcome))
        asked.append(Ask(f"Did {body[0].lower() + body[1:]} decide to {plan}?", outcome))
    return Scene(
        told,
        asked,
        (
            (f"{body} decided to {plan}.", agreed), (f"The proposal to {plan} was accepted.", agreed),
            (f"{who}'s proposal to {plan} was rejected.", refused), (f"It was decided not to {plan}.", refused),
            (f"{who} was against the plan to {plan}.", CONTRADICTED), (f"{who} wanted to {plan}.", SUPPORTED),
            (f"The decision to {plan} was postponed.", SUPPORTED if outcome == "later" else CONTRADICTED),
            (f"{person(r)} proposed to {plan}.", CONTRADICTED), (f"{who} has been a member for many years.", NEITHER),
        ),
    )  # fmt: skip


_EXCEPTIONS = (
    ("Entry is free for {a}; {b} pay {x}.", "pay", "children|members|pensioners|students", "adults|guests|visitors"),
    ("{A} may use the {p} at any time, {b} only on {d}.", "use", "members|residents|teachers", "guests|tenants|pupils"),
    ("Dogs are not allowed in the {p}, but in the {q} they are fine.", "", "", ""),
    ("All {b} must wear a helmet, {a} need not.", "wear", "drivers|guides|cooks", "visitors|workers|cyclists"),
    ("{A} need no appointment. {B} must book {n} days ahead.", "book", "members|locals|pupils", "groups|companies"),
)  # fmt: skip


def exception(r: Chance) -> Scene:
    """A rule holds for some and not for others."""
    told, does, some, others = r.choice(_EXCEPTIONS)
    one, other = _two(r, lambda c: c.choice(PLACES))
    price, day, days = _VALUES["entry fee"](r), r.choice(DAYS), r.randint(2, 21)
    if not does:
        return Scene(
            told.format(p=one, q=other),
            (Ask("Where are dogs allowed?", other), Ask(f"Are dogs allowed in the {one}?", "no"),
             Ask(f"Are dogs allowed in the {other}?", "yes"), Ask("Where are dogs forbidden?", one)),
            ((f"Dogs are allowed in the {other}.", SUPPORTED), (f"Dogs are allowed in the {one}.", CONTRADICTED),
             (f"Dogs are not allowed in the {other}.", CONTRADICTED),
             (f"You may not take a dog into the {one}.", SUPPORTED)),
        )  # fmt: skip
    a, b = r.choice(some.split("|")), r.choice(others.split("|"))
    text = told.format(a=a, b=b, A=capital(a), B=capital(b), x=price, p=one, d=day, n=days)
    asked: Sequence[Ask]
    claimed: Sequence[tuple[str, Verdict]]
    if does == "pay":
        asked = (Ask(f"How much do {b} pay?", price), Ask("Who gets in free?", a), Ask(f"Who has to pay {price}?", b))
        claimed = ((f"{capital(b)} pay {price}.", SUPPORTED), (f"{capital(a)} pay {price}.", CONTRADICTED),
                   (f"Entry is free for {b}.", CONTRADICTED), (f"{capital(a)} pay nothing.", SUPPORTED))  # fmt: skip
    elif does == "use":
        asked = (Ask(f"When may {b} use the {one}?", day), Ask(f"Who may use the {one} at any time?", a))
        claimed = ((f"{capital(a)} may use the {one} every day.", SUPPORTED),
                   (f"{capital(b)} may use the {one} whenever they like.", CONTRADICTED),
                   (f"On {day} {b} may use the {one}.", SUPPORTED))  # fmt: skip
    elif does == "wear":
        asked = (Ask("Who must wear a helmet?", b), Ask("Who need not wear a helmet?", a))
        claimed = ((f"{capital(b)} have to wear a helmet.", SUPPORTED),
                   (f"{capital(a)} have to wear a helmet.", CONTRADICTED),
                   (f"{capital(b)} need no helmet.", CONTRADICTED))  # fmt: skip
    else:
        asked = (Ask("Who must book ahead?", b), Ask(f"How many days ahead must {b} book?", str(days)))
        claimed = ((f"{capital(a)} must book in advance.", CONTRADICTED),
                   (f"{capital(b)} need an appointment.", SUPPORTED),
                   (f"{capital(b)} must book {days + r.randint(1, 4)} days ahead.", CONTRADICTED))  # fmt: skip
    return Scene(text, asked, claimed)


SCENES = (succession, moved, changed, sides, decision, exception)
_OPENINGS = (
    "", "", "", "Minutes of the meeting of {d} {m}.", "Newsletter, {m} {y}", "From: {p}\nTo: {q}\n",
    "# Notes, week {w}", "{d} {m} {y}, {p}:", "Present: {p}, {q}. Absent: {r}.", "Dear all,",
)  # fmt: skip


class Text(NamedTuple):
    """Several scenes as one text, the one that is asked about, and one like it that the text says nothing of."""

    text: str
    scene: Scene
    untold: Scene


def texts(count: int, chance: Chance, scenes: Sequence[Callable[[Chance], Scene]] = SCENES) -> list[Text]:
    found = []
    for _ in range(count):
        kinds = chance.choices(scenes, k=chance.randint(1, 5))
        made = [kind(chance) for kind in kinds]
        values = {"d": chance.randint(1, 28), "m": chance.choice(MONTHS), "y": chance.randint(1998, 2026),
                  "w": chance.randint(1, 52), **{name: person(chance) for name in "pqr"}}  # fmt: skip
        opening = chance.choice(_OPENINGS).format(**values)
        between = chance.choice((" ", "\n", "\n- ", f"\n{chance.choice(FIRST)}: "))
        text = between.join([*([opening] if opening else []), *(scene.told for scene in made)])
        place = chance.randrange(len(made))
        found.append(Text(text, made[place], kinds[place](chance)))
    return found


def examples(made: Sequence[Text], chance: Chance) -> list[Example]:
    """Give two claims of each text, beside its own sentences or the whole text; some about what it does not say."""
    found = []
    for text in made:
        for wanted in chance.choices((SUPPORTED, CONTRADICTED, NEITHER), (45, 38, 17), k=2):
            claimed = [claim for claim, verdict in text.scene.claimed if verdict is wanted]
            if wanted is NEITHER and (not claimed or chance.random() < 0.6):
                claimed = [claim for claim, verdict in text.untold.claimed if verdict is SUPPORTED]
            evidence = text.scene.told if chance.random() < 0.5 else text.text
            found.append(Example(chance.choice(claimed), (evidence,), wanted))
    return found
