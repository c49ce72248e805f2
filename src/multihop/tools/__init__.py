"""Tools that agents need beside retrieval: exact search, reading on, and what is still missing."""

from multihop.tools.grep import LONGEST_PATTERN as LONGEST_PATTERN, Match as Match, Matches as Matches, grep as grep
from multihop.tools.memory import Memory as Memory, Said as Said
from multihop.tools.missing import Lead as Lead, Missing as Missing, missing as missing
from multihop.tools.reading import Page as Page, read as read
