"""Write rules, hours, terms and amounts, and ask and claim what follows from them in other words and notations.

Who is old enough, how many are too many, whether it is open at half past six, what is less than 45,000 euros, and that
90 minutes are an hour and a half: the words of the claim are not those of the text, and its value lies within a
limit or beyond it. Scenes are made and joined as those of changes.py are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from changes import (
    CONTRADICTED,
    DAYS,
    FIRST,
    NEITHER,
    PLACES,
    POSTS,
    SUPPORTED,
    TOWNS,
    Ask,
    Chance,
    Scene,
    capital,
    person,
)
from contrast import MONTHS, Verdict

Claimed = list[tuple[str, Verdict]]

_ONES = (
    "zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen"
    " eighteen nineteen"
).split()
_TENS = "twenty thirty forty fifty sixty seventy eighty ninety".split()
ACTIVITIES = (
    "pottery course|diving course|climbing class|night hike|sailing camp|quiz evening|swimming lesson|drum workshop"
    "|archery class|chess camp|cooking course|dance class|theater group|bread-baking day|photo walk|film night"
    "|first-aid course|canoe trip|welding course|beekeeping course|robotics club|writing circle|judo training"
).split("|")
MEMBERS = "member|household|resident|guest|visitor|student|couple|team|customer|tenant|reader|passenger".split("|")
RIGHTS = (
    ("borrow", "book"), ("reserve", "parking space"), ("bring", "guest"), ("keep", "hen"), ("book", "court"),
    ("rent", "locker"), ("hold", "share"), ("register", "bicycle"), ("take", "bag"), ("order", "meal"),
    ("store", "crate"), ("invite", "friend"), ("use", "washing slot"), ("own", "key"), ("hang up", "poster"),
)  # fmt: skip
SHOPS = (
    "workshop|bakery|registry|tool library|sauna|swimming pool|reading room|post office|recycling yard|ticket desk"
    "|reception|laundry|museum shop|boat hire|clinic|canteen|archive|visitor center"
).split("|")
JOBS = (
    "new roof|boiler|repair of the lift|painting of the stairs|survey of the bridge|new windows|sound system|fence"
    "|audit|printing of the catalog|rewiring of the hall|digger|heat pump|renovation of the kitchen|fire alarm"
).split("|")
DEEDS = (
    ("smoking", "smoke"), ("barbecuing", "have a barbecue"), ("cycling", "ride a bicycle"), ("swimming", "swim"),
    ("feeding the birds", "feed the birds"), ("taking photographs", "take photographs"), ("camping", "camp"),
    ("playing music", "play music"), ("parking", "park"), ("eating", "eat"), ("flying drones", "fly a drone"),
    ("fishing", "fish"), ("subletting", "sublet"), ("storing paint", "store paint"), ("phoning", "make phone calls"),
)  # fmt: skip
DUTIES = (
    ("a helmet", "wear a helmet"), ("a deposit", "pay a deposit"), ("registration", "register"),
    ("a life jacket", "wear a life jacket"), ("a swimming test", "pass a swimming test"), ("insurance", "be insured"),
    ("a signature of the parents", "have the parents sign"), ("a reservation", "reserve"), ("an ID card", "show an ID"),
    ("work shoes", "wear work shoes"), ("a medical certificate", "bring a medical certificate"),
)  # fmt: skip
_EQUAL = (
    ("90 minutes", "an hour and a half"), ("1.5 hours", "90 minutes"), ("14 days", "two weeks"),
    ("two weeks", "a fortnight"),
    ("24 hours", "one day"), ("12 months", "one year"), ("6 months", "half a year"), ("30 minutes", "half an hour"),
    ("45 minutes", "three quarters of an hour"), ("18 months", "a year and a half"), ("36 months", "three years"),
    ("120 minutes", "two hours"), ("48 hours", "two days"), ("15 minutes", "a quarter of an hour"),
    ("ten years", "a decade"), ("75 minutes", "an hour and a quarter"), ("21 days", "three weeks"),
    ("60 seconds", "a minute"), ("three months", "a quarter of a year"), ("100 years", "a century"),
)  # fmt: skip
_OFTEN = (
    ("weekly", "once a week"), ("every week", "weekly"), ("twice a year", "every six months"),
    ("annually", "once a year"),
    ("every quarter", "four times a year"), ("monthly", "once a month"), ("daily", "every day"),
    ("every other week", "every second week"), ("every two years", "every second year"), ("yearly", "every year"),
)  # fmt: skip
_PARTS = (
    ("50 percent", "half"), ("25 %", "a quarter"), ("a third", "one in three"), ("75 percent", "three quarters"),
    ("20 percent", "a fifth"), ("10 %", "one in ten"), ("two thirds", "two out of three"), ("half", "one in two"),
)  # fmt: skip
LASTING = (
    "guided tour",
    "test",
    "notice period",
    "warranty",
    "loan period",
    "training",
    "warm-up",
    "crossing",
    "trial",
)
REPEATED = (
    "inspection of the boiler",
    "general meeting",
    "newsletter",
    "cleaning of the tank",
    "backup",
    "stocktaking",
)


def spelled(number: int) -> str:
    if number < 20:
        return _ONES[number]
    tens, rest = divmod(number, 10)
    return _TENS[tens - 2] + (f"-{_ONES[rest]}" if rest else "")


def _written(number: int, r: Chance) -> str:
    """Write a number as digits or in words."""
    return spelled(number) if number < 100 and r.random() < 0.5 else str(number)


def _article(number: int) -> str:
    return "an" if number in (8, 11, 18) or 80 <= number < 90 else "a"


def _clock(minutes: int, r: Chance) -> str:
    """Write a time of day in one of many ways."""
    hour, rest = divmod(minutes, 60)
    half = "am" if hour < 12 else "pm"
    twelve = (hour - 1) % 12 + 1
    part = "in the morning" if hour < 12 else "in the afternoon" if hour < 18 else "in the evening"
    forms = [f"{hour}:{rest:02}", f"{twelve}:{rest:02} {half}"]
    if rest == 0:
        forms += [f"{twelve} {half}", f"{spelled(twelve)} {part}", f"{twelve} o'clock {part}"]
    elif rest == 30:
        forms += [f"half past {spelled(twelve)} {part}", f"{twelve}.30 {half}"]
    elif rest == 15:
        forms += [f"a quarter past {spelled(twelve)} {part}"]
    return r.choice(forms)


def _money(amount: int, r: Chance, currency: str) -> str:
    forms = {"€": ("€{}", "{} euros", "EUR {}"), "£": ("£{}", "{} pounds"), "$": ("${}", "{} dollars")}[currency]
    return r.choice(forms).format(f"{amount:,}" if r.random() < 0.7 else str(amount))


def _somewhere(things: Sequence[str], r: Chance) -> str:
    thing = r.choice(things)
    return f"{thing} in {r.choice(TOWNS)}" if r.random() < 0.6 else thing


def _pick(claims: Claimed, r: Chance) -> Claimed:
    """Put claims in another order, without repetitions."""
    return r.sample(found := list(dict(claims).items()), len(found))


def ages(r: Chance) -> Scene:
    """Who is old enough, or young enough."""
    what = _somewhere(ACTIVITIES, r)
    kind = r.choice(("from", "up to", "between"))
    low, high = r.randint(6, 30), r.randint(34, 80)
    if kind == "from":
        told = r.choice((
            f"The {what} is for people aged {low} and over.",
            f"You must be at least {_written(low, r)} to join the {what}.",
            f"Minimum age for the {what}: {low} years.", f"The {what} is open to anyone from {low} years.",
            f"Nobody under {_written(low, r)} may take part in the {what}.", f"{capital(what)} ({low}+)",
            f"Those younger than {low} cannot join the {what}.",
            f"The {what} takes people from the age of {_written(low, r)}.",
        ))  # fmt: skip
        inside, outside = [low, low + r.randint(1, 20)], [low - r.randint(1, min(5, low - 1))]
        limit = f"The minimum age for the {what} is {_written(low, r)}."
        wrong = f"The minimum age for the {what} is {_written(low + r.choice((-2, -1, 1, 2, 4)), r)}."
    elif kind == "up to":
        told = r.choice((
            f"The {what} is for people up to the age of {high}.",
            f"Nobody over {_written(high, r)} may take part in the {what}.",
            f"Maximum age for the {what}: {high} years.", f"You can join the {what} until you are {high}.",
            f"The {what} takes people no older than {_written(high, r)}.",
        ))  # fmt: skip
        inside, outside = [high - r.randint(1, 20)], [high + r.randint(1, 15)]
        limit = f"The {what} has an upper age limit of {_written(high, r)}."
        wrong = f"The {what} has an upper age limit of {_written(high + r.choice((-5, -3, 2, 5)), r)}."
    else:
        told = r.choice((
            f"The {what} is for people between {low} and {high}.", f"Ages for the {what}: {low}–{high}.",
            f"The {what} is open to everyone from {_written(low, r)} to {_written(high, r)} years of age.",
            f"To join the {what} you have to be {low} to {high} years old.",
        ))  # fmt: skip
        inside = [r.randint(low + 1, high - 1), low + 1]
        outside = [low - r.randint(1, min(4, low - 1)), high + r.randint(1, 12)]
        limit = f"The youngest in the {what} may be {_written(low, r)}."
        wrong = f"The {what} is for people of any age."
    claimed: Claimed = [(limit, SUPPORTED), (wrong, CONTRADICTED)]
    asked = list[Ask]()
    for fits, among in ((True, inside), (False, outside)):
        for age in among:
            who = r.choice((f"{capital(_article(age))} {_written(age, r)}-year-old",
            f"Someone who is {_written(age, r)}",
                            f"A person of {_written(age, r)}", f"{r.choice(FIRST)}, aged {age},"))  # fmt: skip
            yes, no = (SUPPORTED, CONTRADICTED) if fits else (CONTRADICTED, SUPPORTED)
            may = r.choice(("may join", "can take part in", "is allowed to take part in", "is the right age for"))
            claimed.append((f"{who} {may} the {what}.", yes))
            reason = "old" if kind == "from" else "young"
            claimed.append((f"{who} {r.choice(('may not join', 'cannot take part in'))} the {what}.", no))
            if kind != "between":
                claimed.append((f"{who} is {reason} enough for the {what}.", yes))
                claimed.append((f"{who} is too {'young' if kind == 'from' else 'old'} for the {what}.", no))
            asking = r.choice((
                f"Can {_article(age)} {_written(age, r)}-year-old join the {what}?",
                f"I am {age}. May I take part in the {what}?",
                f"My {r.choice(('son', 'daughter', 'aunt', 'friend'))} is {_written(age, r)}. Is the {what} open to"
                f" {r.choice(('them', 'someone of that age'))}?", f"Is {age} an age at which one may join the {what}?",
            ))  # fmt: skip
            asked.append(Ask(asking, "yes" if fits else "no"))
    claimed += [(f"The {what} costs {r.randint(5, 90)} euros.", NEITHER), (f"The {what} is fully booked.", NEITHER)]
    return Scene(told, asked, _pick(claimed, r))


def counts(r: Chance) -> Scene:
    """How many are allowed, or needed."""
    member, (does, thing) = r.choice(MEMBERS), r.choice(RIGHTS)
    where, per = r.choice(PLACES), r.choice(("a week", "a month", "per visit", "at a time", "per year"))
    most = r.randint(2, 12)
    told = r.choice((
        f"In the {where}, each {member} may {does} up to {_written(most, r)} {thing}s {per}.",
        f"Every {member} can {does} at most {_written(most, r)} {thing}s {per} in the {where}.",
        f"{capital(where)}: no more than {most} {thing}s {per} for each {member}.",
        f"In the {where} a {member} is limited to {_written(most, r)} {thing}s {per}.",
        f"A {member} cannot {does} more than {_written(most, r)} {thing}s {per} in the {where}.",
        f"Rule for the {where}: {thing}s, max. {most} {per} and {member}.",
    ))  # fmt: skip
    few, many = r.randint(1, most), most + r.randint(1, 6)
    plural = {n: thing if n == 1 else f"{thing}s" for n in (few, many, most)}
    claimed: Claimed = [
        (f"A {member} may {does} {_written(few, r)} {plural[few]} {per} in the {where}.", SUPPORTED),
        (f"It is fine for a {member} to {does} {_written(few, r)} {plural[few]} {per} in the {where}.", SUPPORTED),
        (f"A {member} may {does} {_written(many, r)} {plural[many]} {per} in the {where}.", CONTRADICTED),
        (f"{capital(_written(many, r))} {thing}s {per} are too many for a {member} in the {where}.", SUPPORTED),
        (f"{capital(_written(few, r))} {plural[few]} {per} would be too many for a {member} in the {where}.",
         CONTRADICTED),
        (f"The limit in the {where} is {_written(most, r)} {thing}s {per} for a {member}.", SUPPORTED),
        (f"The limit in the {where} is {_written(many, r)} {thing}s {per} for a {member}.", CONTRADICTED),
        (f"There is no limit to how many {thing}s a {member} may {does} in the {where}.", CONTRADICTED),
        (f"Most {member}s {does} fewer than {most} {thing}s.", NEITHER), (f"A {thing} costs {most} euros.", NEITHER),
    ]  # fmt: skip
    said = told.replace(".", " ").replace(",", " ").split()
    number = next(word for word in said if word in (str(most), spelled(most)))
    asked = (
        Ask(f"How many {thing}s may a {member} {does} {per} in the {where}?", number),
        Ask(f"What is the largest number of {thing}s that one {member} can {does} {per} in the {where}?", number),
        Ask(f"Can I {does} {_written(few, r)} {plural[few]} {per} in the {where} as a {member}?", "yes"),
        Ask(f"Can I {does} {_written(many, r)} {thing}s {per} in the {where} as a {member}?", "no"),
        Ask(f"May one {member} {does} as many as {_written(many, r)} {thing}s {per} in the {where}?", "no"),
    )
    return Scene(told, asked, _pick(claimed, r))


def groups(r: Chance) -> Scene:
    """A number that lies within a range, and one that does not."""
    what, low = _somewhere(ACTIVITIES, r), r.randint(4, 20)
    high = low + r.randint(3, 15)
    told = r.choice((
        f"The {what} is for groups of {low} to {high} people.",
        f"Between {_written(low, r)} and {_written(high, r)} people can join the {what}.",
        f"Group size for the {what}: {low}–{high}.",
        f"The {what} takes place with {low} people or more; there is room for {high}.",
        f"For the {what} we need at least {_written(low, r)} people and can take at most {_written(high, r)}.",
    ))  # fmt: skip
    inside, more, fewer = r.randint(low + 1, high - 1), high + r.randint(1, 9), r.randint(1, low - 1)
    claimed: Claimed = [
        (f"A group of {_written(inside, r)} can join the {what}.", SUPPORTED),
        (f"A group of {_written(more, r)} is too large for the {what}.", SUPPORTED),
        (f"A group of {_written(fewer, r)} is too small for the {what}.", SUPPORTED),
        (f"A group of {_written(more, r)} can join the {what}.", CONTRADICTED),
        (f"{capital(_written(fewer, r))} people are enough for the {what}.", CONTRADICTED),
        (f"A group of {_written(inside, r)} is too large for the {what}.", CONTRADICTED),
        (f"The {what} has room for {_written(more, r)} people.", CONTRADICTED),
        (f"{capital(_written(inside, r))} people have signed up for the {what}.", NEITHER),
        (f"The {what} is held with {_written(inside, r)} people this time.", NEITHER),
    ]
    asked = (
        Ask(f"We are {_written(inside, r)} people. Can we join the {what}?", "yes"),
        Ask(f"We are {_written(more, r)}. Can all of us join the {what}?", "no"),
        Ask(f"Is the {what} possible with only {_written(fewer, r)} people?", "no"),
    )
    return Scene(told, asked, _pick(claimed, r))


def hours(r: Chance) -> Scene:
    """What is open, and what is not, at a time of day."""
    shop = _somewhere(SHOPS, r)
    opens, closes = r.randrange(7 * 60, 11 * 60 + 1, 30), r.randrange(15 * 60, 21 * 60, 30)
    first, last = _clock(opens, r), _clock(closes, r)
    told = r.choice((
        f"The {shop} is open from {first} to {last}.", f"The {shop} opens at {first} and closes at {last}.",
        f"Hours of the {shop}: {opens // 60}:{opens % 60:02}–{closes // 60}:{closes % 60:02}",
        f"You find us at the {shop} between {first} and {last}.",
        f"At {last} we close the {shop}, which opens at {first}.",
    ))  # fmt: skip
    inside = r.randrange(opens + 30, closes - 29, 30)
    early, late = r.randrange(max(5 * 60, opens - 180), opens - 29, 30), r.randrange(closes + 30, closes + 181, 30)
    claimed: Claimed = [
        (f"At {_clock(inside, r)} the {shop} is open.", SUPPORTED),
        (f"The {shop} is closed at {_clock(late, r)}.", SUPPORTED),
        (f"The {shop} is not open yet at {_clock(early, r)}.", SUPPORTED),
        (f"The {shop} is still open at {_clock(late, r)}.", CONTRADICTED),
        (f"The {shop} is already open at {_clock(early, r)}.", CONTRADICTED),
        (f"At {_clock(inside, r)} the {shop} is closed.", CONTRADICTED),
        (f"The {shop} opens at {_clock(opens, r)}.", SUPPORTED),
        (f"The {shop} shuts at {_clock(closes, r)}.", SUPPORTED),
        (f"The {shop} opens at {_clock(inside, r)}.", CONTRADICTED),
        (f"The {shop} closes at {_clock(late, r)}.", CONTRADICTED),
        (f"The {shop} is busiest at {_clock(inside, r)}.", NEITHER), (f"The {shop} is run by volunteers.", NEITHER),
    ]  # fmt: skip
    asked = [
        Ask(f"Is the {shop} open at {_clock(inside, r)}?", "yes"),
        Ask(f"Is the {shop} open at {_clock(late, r)}?", "no"),
        Ask(f"Can I come to the {shop} at {_clock(early, r)}?", "no"),
        Ask(f"If I come at {_clock(late, r)}, is the {shop} open?", "no"),
    ]  # fmt: skip
    if first in told and last in told:
        asked += [Ask(f"From when on is the {shop} open?", first), Ask(f"Until when is the {shop} open?", last)]
    return Scene(told, asked, _pick(claimed, r))


def terms(r: Chance) -> Scene:
    """Who held a post in a year, or in which months something is open."""
    if r.random() < 0.5:
        who, post, town = person(r), r.choice(POSTS), r.choice(TOWNS)
        begun = r.randint(1900, 2010)
        ended = begun + r.randint(4, 15)
        told = r.choice((
            f"{who} was {post} in {town} from {begun} to {ended}.",
            f"{post.capitalize()} in {town} {begun}–{ended}: {who}",
            f"In {begun} {who} became {post} in {town} and remained so until {ended}.",
            f"Between {begun} and {ended} the {post} in {town} was {who}.",
            f"{who} took up the post of {post} in {town} in {begun} and left it in {ended}.",
        ))  # fmt: skip
        inside, before, after = r.randint(begun + 1, ended - 1), begun - r.randint(1, 12), ended + r.randint(1, 12)
        years = ended - begun
        claimed: Claimed = [
            (f"In {inside} the {post} in {town} was {who}.", SUPPORTED),
            (f"{who} was {post} in {town} in {inside}.", SUPPORTED),
            (f"{who} was {post} in {town} in {after}.", CONTRADICTED),
            (f"In {before} {who} was already {post} in {town}.", CONTRADICTED),
            (f"{who} was no longer {post} in {town} in {after}.", SUPPORTED),
            (f"{who} had not yet become {post} in {town} in {before}.", SUPPORTED),
            (f"{who} stopped being {post} in {town} in {ended}.", SUPPORTED),
            (f"{who} was {post} in {town} for {_written(years, r)} years.", SUPPORTED),
            (f"{who} was {post} in {town} for {_written(years + r.choice((-2, 2, 4)), r)} years.", CONTRADICTED),
            (f"{who} became {post} in {town} in {inside}.", CONTRADICTED),
            (f"{who} gave up the post because of illness.", NEITHER), (f"{who} was born in {before - 30}.", NEITHER),
        ]  # fmt: skip
        asked = [
            Ask(f"Was {who} {post} in {town} in {inside}?", "yes"),
            Ask(f"Was {who} {post} in {town} in {after}?", "no"),
            Ask(f"Who was {post} in {town} in {inside}?", who),
            Ask(f"When did {who} become {post} in {town}?", str(begun)),
        ]  # fmt: skip
        return Scene(told, asked, _pick(claimed, r))
    shop = _somewhere(SHOPS, r)
    first, last = r.randint(1, 5), r.randint(7, 10)
    told = r.choice((
        f"The {shop} is open from {MONTHS[first]} to {MONTHS[last]}.",
        f"Season of the {shop}: {MONTHS[first]}–{MONTHS[last]}",
        f"The {shop} opens in {MONTHS[first]} and closes for the winter at the end of {MONTHS[last]}.",
    ))  # fmt: skip
    summer = MONTHS[r.randint(first + 1, last - 1)]
    winter = MONTHS[r.choice([n for n in range(12) if not first <= n <= last])]
    claimed = [
        (f"In {summer} the {shop} is open.", SUPPORTED), (f"In {winter} the {shop} is closed.", SUPPORTED),
        (f"You can visit the {shop} in {winter}.", CONTRADICTED),
        (f"The {shop} is open all year round.", CONTRADICTED),
        (f"The {shop} is closed in {summer}.", CONTRADICTED), (f"The {shop} is not open the whole year.", SUPPORTED),
        (f"The {shop} has most visitors in {summer}.", NEITHER),
    ]  # fmt: skip
    asked = [
        Ask(f"Is the {shop} open in {summer}?", "yes"), Ask(f"Can one visit the {shop} in {winter}?", "no"),
        Ask(f"In which month does the {shop} open?", MONTHS[first]), Ask(f"Is the {shop} open all year?", "no"),
    ]  # fmt: skip
    return Scene(told, asked, _pick(claimed, r))


def amounts(r: Chance) -> Scene:
    """What is more than an amount, or less."""
    what = f"{r.choice(JOBS)} of the {r.choice(PLACES)} in {r.choice(TOWNS)}"
    currency = r.choice("€£$")
    amount = r.choice((r.randint(11, 99) * 10, r.randint(21, 99) * 100, r.randint(11, 99) * 1000))
    amount += r.choice((0, amount // 100 * r.randint(1, 9)))
    price = _money(amount, r, currency)
    told = r.choice((
        f"The {what} costs {price}.", f"The {what} was ordered for {price}.", f"{capital(what)} | {price}",
        f"We paid {price} for the {what}.", f"{price} has been set aside for the {what}.",
        f"The bill for the {what} came to {price}.",
        f"An offer of {price} for the {what} was accepted.",
    ))  # fmt: skip
    above, below = int(amount * r.uniform(1.08, 1.6)), int(amount * r.uniform(0.5, 0.92))
    digits = max(0, len(str(amount)) - 2)
    above, below = (round(n, -digits) for n in (above, below))
    if above <= amount or below >= amount:
        above, below = amount * 2, amount // 2
    high, low = _money(above, r, currency), _money(below, r, currency)
    claimed: Claimed = [
        (f"The {what} costs less than {high}.", SUPPORTED), (f"The {what} stays under {high}.", SUPPORTED),
        (f"The {what} costs more than {low}.", SUPPORTED), (f"More than {high} goes to the {what}.", CONTRADICTED),
        (f"The {what} is cheaper than {low}.", CONTRADICTED), (f"The {what} costs at least {high}.", CONTRADICTED),
        (f"No more than {high} is spent on the {what}.", SUPPORTED),
        (f"The price of the {what} is {_money(amount, r, currency)}.", SUPPORTED),
        (f"The price of the {what} is {low}.", CONTRADICTED), (f"The {what} costs {high}.", CONTRADICTED),
        (f"The {what} is free of charge.", CONTRADICTED), (f"The {what} is cheaper than last year's.", NEITHER),
        (f"The {what} will be finished in {r.choice(MONTHS)}.", NEITHER),
    ]  # fmt: skip
    asked = (
        Ask(f"What does the {what} cost?", price), Ask(f"How much money goes into the {what}?", price),
        Ask(f"Does the {what} cost more than {high}?", "no"), Ask(f"Is the {what} cheaper than {high}?", "yes"),
        Ask(f"Does the {what} stay below {low}?", "no"),
    )  # fmt: skip
    return Scene(told, asked, _pick(claimed, r))


def notations(r: Chance) -> Scene:
    """The same time, share or frequency in other words."""
    kind: Sequence[tuple[str, str]] = r.choice((_EQUAL, _EQUAL, _OFTEN, _PARTS))
    (said, same), (other, others) = r.sample(kind, 2)
    town = r.choice(TOWNS)
    if r.random() < 0.5:
        said, same = same, said
    if kind is _EQUAL:
        what = _somewhere(LASTING, r)
        told = r.choice((f"The {what} lasts {said}.", f"The {what} takes {said}.", f"Length of the {what}: {said}",
                         f"The {what} is over after {said}."))  # fmt: skip
        forms: tuple[str, ...] = (f"The {what} lasts {{}}.", f"It takes {{}} for the {what} to be over.")
        asking = f"How long is the {what}?"
        unsaid = f"The {what} is popular."
    elif kind is _OFTEN:
        what = _somewhere(REPEATED, r)
        told = r.choice((f"The {what} takes place {said}.", f"The {what} is due {said}.", f"{capital(what)}: {said}"))
        forms, asking = (f"The {what} happens {{}}.", f"There is the {what} {{}}."), f"How often is the {what}?"
        unsaid = f"The {what} lasts an hour."
    else:
        what = f"{r.choice(MEMBERS)}s in {town}"
        deed = r.choice(("came by train", "voted", "paid late", "live alone", "have a garden", "answered the survey"))
        told = r.choice((f"{capital(said)} of the {what} {deed}.", f"Of the {what}, {said} {deed}."))
        if "in " in said or "out of" in said:
            told = f"{capital(said)} of the {what} {deed}."
        forms, asking = (f"{{}} of the {what} {deed}.",), f"What share of the {what} {deed}?"
        unsaid = f"Few of the {what} speak French."
    clash = [one for pair in kind for one in pair if not {said, same} & set(_alike(one, kind))]
    wrong = r.choice([one for one in (other, others) if one in clash] or clash)
    claimed: Claimed = [
        (capital(r.choice(forms).format(same)), SUPPORTED), (capital(r.choice(forms).format(wrong)), CONTRADICTED),
        (unsaid, NEITHER),
    ]  # fmt: skip
    return Scene(told, (Ask(asking, said),), claimed)


def _alike(one: str, kind: Sequence[tuple[str, str]]) -> set[str]:
    """Give everything that means the same as a text."""
    found = {one}
    for _ in range(3):
        found |= {text for pair in kind if found & set(pair) for text in pair}
    return found


def permissions(r: Chance) -> Scene:
    """What is allowed and what is forbidden, in other words."""
    doing, do = r.choice(DEEDS)
    where = _somewhere(PLACES, r)
    allowed = r.random() < 0.5
    if allowed:
        told = r.choice((
            f"{capital(doing)} is allowed in the {where}.", f"You may {do} in the {where}.",
            f"In the {where} you are welcome to {do}.",
            f"There is nothing against {doing} in the {where}.", f"{capital(doing)} is permitted in the {where}.",
            f"Feel free to {do} in the {where}.", f"The ban on {doing} in the {where} has been lifted.",
        ))  # fmt: skip
    else:
        told = r.choice((
            f"{capital(doing)} is prohibited in the {where}.", f"You must not {do} in the {where}.",
            f"No {doing} in the {where}!",
            f"In the {where} it is forbidden to {do}.", f"{capital(doing)} is not permitted in the {where}.",
            f"Please do not {do} in the {where}.", f"Anyone who wants to {do} has to leave the {where}.",
            f"{capital(doing)} in the {where} is against the rules.",
        ))  # fmt: skip
    yes, no = (SUPPORTED, CONTRADICTED) if allowed else (CONTRADICTED, SUPPORTED)
    claimed: Claimed = [
        (f"One can {do} in the {where}.", yes), (f"{capital(doing)} in the {where} is fine.", yes),
        (f"It is permitted to {do} in the {where}.", yes), (f"The rules allow {doing} in the {where}.", yes),
        (f"{capital(doing)} is banned in the {where}.", no), (f"Nobody may {do} in the {where}.", no),
        (f"It is against the rules to {do} in the {where}.", no), (f"You are not allowed to {do} in the {where}.", no),
        (f"Many people want to {do} in the {where}.", NEITHER), (f"{capital(doing)} has become more common.", NEITHER),
    ]  # fmt: skip
    asked = (
        Ask(f"Can I {do} in the {where}?", "yes" if allowed else "no"),
        Ask(f"Is {doing} allowed in the {where}?", "yes" if allowed else "no"),
        Ask(f"Is it forbidden to {do} in the {where}?", "no" if allowed else "yes"),
    )
    return Scene(told, asked, _pick(claimed, r))


def duties(r: Chance) -> Scene:
    """What is needed and what is not, in other words."""
    thing, do = r.choice(DUTIES)
    what = _somewhere(ACTIVITIES, r)
    needed = r.random() < 0.5
    if needed:
        told = r.choice((
            f"For the {what}, everyone has to {do}.", f"{capital(thing)} is required for the {what}.",
            f"{capital(thing)} is compulsory on the {what}.",
            f"Nobody can join the {what} without {thing}.", f"To take part in the {what} you must {do}.",
            f"The {what} is only possible with {thing}.",
        ))  # fmt: skip
    else:
        told = r.choice((
            f"For the {what}, nobody has to {do}.", f"The {what} does not require {thing}.",
            f"{capital(thing)} is optional on the {what}.",
            f"You can join the {what} without {thing}.", f"You need not {do} for the {what}.",
            f"{capital(thing)} is not necessary for the {what}.",
        ))  # fmt: skip
    yes, no = (SUPPORTED, CONTRADICTED) if needed else (CONTRADICTED, SUPPORTED)
    claimed: Claimed = [
        (f"You have to {do} for the {what}.", yes), (f"{capital(thing)} is obligatory for the {what}.", yes),
        (f"The {what} needs {thing}.", yes), (f"One can take part in the {what} without {thing}.", no),
        (f"{capital(thing)} is voluntary on the {what}.", no), (f"It is not necessary to {do} for the {what}.", no),
        (f"The {what} starts on {r.choice(DAYS)}.", NEITHER),
    ]  # fmt: skip
    asked = (
        Ask(f"Do I have to {do} for the {what}?", "yes" if needed else "no"),
        Ask(f"Can I join the {what} without {thing}?", "no" if needed else "yes"),
    )
    return Scene(told, asked, _pick(claimed, r))


SCENES: tuple[Callable[[Chance], Scene], ...] = (
    ages, counts, groups, hours, terms, amounts, notations, permissions, duties,
)  # fmt: skip
