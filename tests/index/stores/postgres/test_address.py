from __future__ import annotations

import pytest

from multihop.errors import InvalidInput
from multihop.index.stores.postgres import address


@pytest.mark.parametrize("host", ["db..example", ".example", "a" * 70 + ".example", "one,db..example"])
def test_host_names_that_no_resolver_takes(host: str) -> None:
    with pytest.raises(InvalidInput, match=r"invalid host name .* the parts between dots have 1 to 63 characters"):
        address.parse_address(f"postgresql://reader:secret@{host}/news")


@pytest.mark.parametrize(
    "host", ["", "db.example", "db.example.", "[::1]:5432", "one,two:5433", "%2Frun%2Fpg", "bücher.example"]
)
def test_other_hosts(host: str) -> None:
    assert address.parse_address(f"postgresql://{host}/news").index == "main"
