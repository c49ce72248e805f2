from __future__ import annotations

from pathlib import Path

from multihop import Document, Engine
from multihop.rendering.chain import chain_lines


def test_a_quote_has_the_page_it_stands_on(tmp_path: Path) -> None:
    pages = "The yard lies in Sandnes.\n\fIts owner is Pia Holm.\f"
    with Engine.open(tmp_path / "yard.mh", create=True) as engine:
        engine.add([Document("yard", pages, "Yard"), Document("pia", "Born in 1970.", "Pia Holm")])
        result = engine.retrieve("When was the owner of the Yard born?", k=2, strategy="bm25")
    assert "Yard, p. 1 – “Its owner is Pia Holm.” (p. 2) → Pia Holm" in chain_lines(result, result.chain)
