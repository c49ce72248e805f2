"""What every linker must do."""

from __future__ import annotations

from multihop import text
from multihop.protocols import Linker

_TEXT = "She left New York City for New York, and Colin Archer stayed."


class LinkerContract:
    """What every linker must do; supply a fixture `linker`."""

    def test_the_same_document_has_the_same_names(self, linker: Linker) -> None:
        names = linker.names("Colin Archer", ("Archer of Larvik",))
        assert names and len(set(names)) == len(names)
        assert linker.names("Colin Archer", ("Archer of Larvik",)) == names

    def test_the_longest_name_is_found_where_it_stands(self, linker: Linker) -> None:
        keys = [*linker.names("New York"), *linker.names("New York City"), *linker.names("Colin Archer")]
        words = text.words(_TEXT)
        matcher = linker.matcher(keys)
        located = list(matcher.locate(words))
        assert [words[start:end] for _, start, end in located] == [
            ["new", "york", "city"], ["new", "york"], ["colin", "archer"],
        ]  # fmt: skip
        assert matcher.find([words, text.words("Nobody is named here.")]) == [
            {keys.index(key) for key, _, _ in located}, set(),
        ]  # fmt: skip

    def test_every_name_in_a_text_begins_a_run(self, linker: Linker) -> None:
        # A store looks up the names of a text by these runs; a name that begins none is never found.
        runs = linker.runs(text.words(_TEXT))
        for title in ("New York", "New York City", "Colin Archer"):
            assert any(f"{run} ".startswith(f"{key} ") for key in linker.names(title) for run in runs)
