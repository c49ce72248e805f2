"""Domain profiles: keywords, patterns, phrases, relation rules, weights and questions of a domain, as TOML."""

from multihop.errors import InvalidProfile
from multihop.profiles.checking import tuned
from multihop.profiles.loading import load, names, parse, template
from multihop.profiles.values import (
    KeywordGroup,
    Pattern,
    Phrase,
    Profile,
    ProfileQuestion,
    RelationRule,
    Scoring,
    Weights,
)

__all__ = [
    "InvalidProfile",
    "KeywordGroup",
    "Pattern",
    "Phrase",
    "Profile",
    "ProfileQuestion",
    "RelationRule",
    "Scoring",
    "Weights",
    "load",
    "names",
    "parse",
    "template",
    "tuned",
]
