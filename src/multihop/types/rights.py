"""Who asks, and what that person may see."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from multihop.errors import InvalidFilter, InvalidInput
from multihop.types.corpus import Scalar, Where

ALLOW = "allow"
"""The metadata field that lists who may see a document."""
GROUP = "group:"
EVERYBODY = "*"


@dataclass(frozen=True, slots=True)
class Rights:
    """A user, the groups of that user, and a filter of what they may see.

    A document without the field `allow` is for everybody; others list users by name, groups as "group:NAME", and "*".
    """

    user: str = ""
    groups: tuple[str, ...] = ()
    where: Where = field(default_factory=dict)

    def __post_init__(self) -> None:
        if not isinstance(self.user, str):
            raise InvalidInput(f"a user is a text, got {type(self.user).__name__}; Rights() is for one without a name")
        if isinstance(self.groups, str):
            raise InvalidInput(f"groups are a list of names, not a text; write groups=({self.groups!r:.80},)")
        if not isinstance(self.groups, Collection) or not all(isinstance(group, str) for group in self.groups):
            raise InvalidInput(f"groups are a list of names, not {self.groups!r:.80}")
        if not isinstance(self.where, Mapping):
            raise InvalidFilter(f"a filter is a mapping from field to condition, not {self.where!r:.80}")

    @property
    def names_one(self) -> bool:
        """True if what is allowed to this user by name is for nobody else: not for a group, not for everybody."""
        return bool(self.user) and self.user != EVERYBODY and not self.user.startswith(GROUP)

    def filter(self, allowed: Collection[Scalar]) -> Where | None:
        """Write the filter of the permitted documents; None where that is all of them.

        `allowed` are the values of `allow` in the index. Rights that permit the same documents give equal filters.
        """
        parts: list[Where] = [self.where] if self.where else []
        if allowed:
            # A user whose name looks like a group does not become one, and one without a name is not called "".
            user = (self.user,) if self.names_one else ()
            names = {*user, *(GROUP + group for group in self.groups), EVERYBODY}
            listed: list[Where] = [{ALLOW: {"exists": False}}]
            if mine := sorted(names.intersection(v for v in allowed if isinstance(v, str))):
                listed.append({ALLOW: mine})
            parts.append({"$or": listed})
        return {"$and": parts} if parts else None
