"""Programs reach no other machine, as adapters do not."""

from __future__ import annotations

from ..adapters.conftest import _offline as _offline
