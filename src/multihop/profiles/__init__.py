"""Domain profiles: keywords, patterns, phrases, relation rules, weights and questions of a domain, as TOML."""

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
]
