"""What the services of `deploy/compose.yaml` run is run, in their order and on a PostgreSQL, without containers."""

from __future__ import annotations

import json
import re
from pathlib import Path

from multihop.server import tokens

from ..cli.command import run
from ..server.test_serve import Start, start

__all__ = ["start"]

COMPOSE = Path(__file__).parents[2] / "deploy" / "compose.yaml"


def test_a_folder_is_indexed_and_served(address: str, start: Start, tmp_path: Path) -> None:
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "fram.md").write_text("# Fram\n\nColin Archer drew the Fram.\n", encoding="utf-8")
    token = tokens.create(tmp_path / "tokens.json", "page", ["read"])
    here = {
        "postgresql://multihop@database/search?index=wiki": address,
        "/corpus": str(corpus),
        "/etc/multihop/tokens.json": str(tmp_path / "tokens.json"),
    }
    text = COMPOSE.read_text(encoding="utf-8")
    for there, place in here.items():
        text = text.replace(there, place)
    index, serve = (
        [word.strip('"') for word in command.split(", ")]
        for command in re.findall(r"^    command: \[(.+)\]$", text, re.M)
    )
    done = run(*index)
    assert (done.exit_code, done.stderr) == (0, "")
    assert "1 document " in done.stdout
    _, client = start(*serve[1:])
    asked = {"question": "Who drew the Fram?", "k": 1}
    assert client.post("/v1/indexes/wiki/retrieve", json=asked).status_code == 401
    answer = client.post("/v1/indexes/wiki/retrieve", json=asked, headers={"Authorization": f"Bearer {token}"})
    assert "Colin Archer" in json.dumps(answer.json()["evidence"])
