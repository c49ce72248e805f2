from __future__ import annotations

from pathlib import Path

from .command import failure, run, run_json


def ids(*options: str | Path) -> list[str]:
    return [document["id"] for document in run_json("list", *options)["documents"]]


def test_documents_are_listed_by_id(index: Path) -> None:
    done = run("list", "--index", index, "--prefix", "fr")
    assert done.stdout.splitlines()[0].split("   ")[0] == "fram-ship"
    assert done.stderr == f"{len(done.stdout.splitlines())} documents\n"
    assert "there are more" in run("list", "--index", index, "--limit", "3").stderr
    said = run_json("list", "--index", index, "--limit", "3")
    assert (len(said["documents"]), said["more"]) == (3, True)
    assert run_json("list", "--index", index, "--limit", "182")["more"] is False


def test_conditions_hold_together(index: Path) -> None:
    norway = ids("--index", index, "--where", "country=Norway")
    assert "fram-ship" in norway
    assert ids("--index", index, "--where", "country=Norway", "--search", "SHIP") == [i for i in norway if "ship" in i]
    assert ids("--index", index, "--prefix", "zzz") == []
    assert "did you mean 'country'?" in failure("list", "--index", index, "--where", "contry=Norway")


def test_the_values_of_a_field(index: Path) -> None:
    said = run_json("list", "--index", index, "--values", "country", "--limit", "500")
    norway = next(v for v in said["values"] if v["value"] == "Norway")
    assert norway["documents"] == len(ids("--index", index, "--where", "country=Norway", "--limit", "500"))
    assert "Norway" in run("list", "--index", index, "--values", "country").stdout
    assert failure("list", "--index", index, "--values", "contry").endswith("did you mean 'country'?")
    refused = failure("list", "--index", index, "--values", "kind", "--search", "x", status=2)
    assert "--values counts all documents" in refused
