"""Domain profiles: keywords, patterns, phrases, relation rules, weights and questions of a domain, as TOML."""

from multihop.errors import InvalidProfile as InvalidProfile
from multihop.profiles.checking import with_scoring as with_scoring
from multihop.profiles.loading import load as load, names as names, parse as parse, template as template
from multihop.profiles.values import (
    KeywordGroup as KeywordGroup,
    Pattern as Pattern,
    Phrase as Phrase,
    Profile as Profile,
    ProfileQuestion as ProfileQuestion,
    ProfileRelation as ProfileRelation,
    Scoring as Scoring,
    Weights as Weights,
)
