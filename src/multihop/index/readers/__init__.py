"""Files become documents, and documents become passages: one file per format, one `read` for all of them."""

from multihop.index.readers.folder import read
from multihop.index.readers.formats import READERS
from multihop.index.readers.naming import SourceNames
from multihop.index.readers.record import NOBODY, checked_id, checked_metadata
from multihop.index.readers.split import split
from multihop.types import Piece

__all__ = ["NOBODY", "READERS", "Piece", "SourceNames", "checked_id", "checked_metadata", "read", "split"]
