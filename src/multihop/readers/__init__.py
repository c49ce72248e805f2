"""Files become documents, and documents become passages: one file per format, one `read` for all of them."""

from multihop.readers.folder import read
from multihop.readers.formats import FORMATS
from multihop.readers.record import checked_id
from multihop.readers.split import split
from multihop.types import Piece

__all__ = ["FORMATS", "Piece", "checked_id", "read", "split"]
