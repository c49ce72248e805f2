"""Planning with a domain profile: which of its questions is asked, and which keywords go with it."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

from multihop.parts.planners.rules import RulePlanner
from multihop.profiles.values import Profile
from multihop.protocols import Context
from multihop.types import Note, Plan


@dataclass(frozen=True, slots=True)
class ProfilePlanner:
    """Adds to the plan the question enhanced by the profile's keywords; without a profile it plans by rules alone."""

    profile: str = ""
    rules: RulePlanner = RulePlanner()
    values: Profile | None = field(default=None, compare=False, repr=False)

    def plan(self, question: str, context: Context) -> Plan:
        # The enhanced question is asked in place of its clauses.
        plan = replace(self.rules.plan(question, context), sub_questions=())
        if self.values is None:
            return plan
        known = self.values.question(question)
        topics = ", ".join(self.values.topics(question)) or "none; the question alone is used"
        notes = [Note("profile", {"profile": self.values.name}, f"profile {self.values.name}: topics {topics}")]
        if known and known.keywords:
            text = f"question {known.number} of the profile; keywords appended: {', '.join(known.keywords)}"
            notes.append(Note("keywords-appended", {"question": known.number, "keywords": known.keywords}, text))
        return replace(plan, sub_questions=(self.values.enhance(question),), notes=tuple(notes))
