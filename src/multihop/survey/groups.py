"""The groups of an index (its countries, say) and which of them and of the questions a survey is about."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from multihop.engine import Engine
from multihop.errors import InvalidInput, UnknownName, suggestion
from multihop.profiles.values import Profile, ProfileQuestion
from multihop.rendering.phrases import pluralize
from multihop.survey.countries import EUROPEAN_UNION, MEMBERS, usual_name
from multihop.types import Scalar


def groups_of(engine: Engine, field: str) -> dict[Scalar, int]:
    """Count the passages of every group, by name; passages of documents without the field are under ""."""
    view = engine.store.view()

    def count() -> dict[Scalar, int]:
        counts: Counter[Scalar] = Counter()
        for passage in view.scan():
            value = passage.metadata.get(field, "")
            # A document of several countries is one of each.
            counts.update(set(value) if isinstance(value, tuple) else {value})
        return dict(sorted(counts.items(), key=lambda item: str(item[0])))

    return view.cached(f"survey.groups.{field}", count)


def chosen_groups(
    engine: Engine, profile: Profile, wanted: Iterable[str] | None
) -> tuple[dict[str, Scalar], list[str]]:
    """Return the groups asked for (all when none are named), each with its value in the index, and notes."""
    if not profile.group:
        raise InvalidInput(
            f'the profile {profile.name!r} has no key for the groups of documents; add one, such as group = "country"'
        )
    counts = groups_of(engine, profile.group)
    without = sum(n for value, n in counts.items() if not str(value).strip())
    known = {str(value): value for value in counts if str(value).strip()}
    if not known:
        fields = engine.stats().fields
        raise InvalidInput(
            f"no document of the index has a {profile.group!r}, by which the profile {profile.name!r} groups them; "
            + (f"known fields: {', '.join(fields)}" if fields else "its documents have no metadata at all")
        )
    if wanted is None:
        unlabeled = f"in no group: {pluralize(without, 'passage')} of documents without {profile.group!r}"
        return known, [unlabeled] if without else []
    notes: list[str] = []
    folded = {name.casefold(): name for name in known}
    is_country = dict(profile.labels).get(profile.group) == "country"
    chosen: dict[str, Scalar] = {}
    unknown: list[str] = []
    for name in dict.fromkeys(wanted):
        if not str(name).strip():
            some = ", ".join(sorted(known)[:8]) + (", …" if len(known) > 8 else "")
            raise InvalidInput(f"the name of the {profile.group} is empty; known: {some}")
        usual = name if name in known or not is_country else usual_name(name) or name
        usual = usual if usual in known else folded.get(usual.casefold(), usual)
        # Members of the Union file one contribution together.
        shared = EUROPEAN_UNION if is_country and usual in MEMBERS and usual not in known else usual
        if shared not in known:
            unknown.append(f"no document has the {profile.group} {name!r}: {suggestion(name, known)}")
            continue
        if shared != usual:
            notes.append(f"{usual} shares the contribution of the {shared}")
        chosen[usual] = known[shared]
    # One misspelled name among many is a note; a survey of nothing is an error.
    if unknown and not chosen:
        raise UnknownName("; ".join(unknown))
    return chosen, [*notes, *unknown]


def chosen_questions(profile: Profile, wanted: Iterable[int] | None) -> tuple[ProfileQuestion, ...]:
    """Return the questions of a profile with these numbers, all when none are named."""
    known = {q.number: q for q in profile.questions}
    if not known:
        raise InvalidInput(f"the profile {profile.name!r} has no questions; add [[questions]] tables to it")
    if wanted is None:
        return profile.questions
    asked = sorted(set(wanted))
    for number in asked:
        if number not in known:
            raise UnknownName(
                f"the profile {profile.name!r} has no question {number!r}; its questions are 1 to {len(known)}"
            )
    return tuple(known[n] for n in asked)
