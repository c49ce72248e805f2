"""What the models of the package compute for a few texts, as a table that `test_processors.py` compares.

After a change of a model or of onnxruntime that is meant to alter it, write the table anew, on any processor:
python tests/models/computed.py > tests/models/computed.json
"""

from __future__ import annotations

import json
import sys

from multihop.models import encoder, ranker, reader, verifier

Table = dict[str, list[float]]
SHIP = "Fram (ship): The Fram is a wooden schooner. Colin Archer drew her lines for Fridtjof Nansen."
ARCHER = "Colin Archer: Colin Archer came into the world in Larvik in 1832, the son of Scottish emigrants."
BRIDGE = "Tacoma Narrows Bridge: On 7 November its deck twisted ever more violently and dropped into the water."
TEA = "Tea: Tea is made of the leaves of a shrub. Architects like to drink it."
RECORD = "4.2.1 A firm must keep a record of each complaint for six years."
QUESTIONS: dict[str, list[tuple[str, str]]] = {
    "Who drew the ship that Amundsen borrowed?": [(SHIP, "Amundsen took the Fram."), (ARCHER, SHIP), (TEA, "")],
    "Which rule must a firm follow when it keeps records of complaints?": [
        (RECORD, ""),
        ("7.1 Fees are due in May.", ""),
    ],
    "Which bridge fell in 1940?": [(BRIDGE, ""), (SHIP, "")],
}
"""Questions with pairs of passage and linking sentence."""
CLAIM = "The designer of the Fram was born in Larvik."


def computed() -> Table:
    """Return by model: logits of the ranker, similarities of the encoder, probabilities of reader and verifier."""
    ranks, embeds, reads, verifies = ranker(), encoder(), reader(), verifier()
    assert ranks and embeds and reads and verifies, "needs onnxruntime"
    texts = [SHIP, ARCHER, BRIDGE, TEA, RECORD]
    vectors = embeds.vectors([*QUESTIONS, *texts])
    similarities = vectors[: len(QUESTIONS)] @ vectors[len(QUESTIONS) :].T
    readings = [reads.read(question, texts[:3]) for question in (*QUESTIONS, "Was Colin Archer born in Larvik?")]
    answers = [(reading.spans[0].probability, reading.yes, reading.no, reading.none) for reading in readings]
    verdicts = [(each.supported, each.contradicted, each.neither) for each in verifies.verify(CLAIM, texts[:3])]
    table = {
        "ranker": [score for question, pairs in QUESTIONS.items() for score in ranks.score(question, pairs).tolist()],
        "encoder": similarities.ravel().tolist(),
        "reader": [share for each in answers for share in each],
        "verifier": [share for each in verdicts for share in each],
    }
    return {name: [round(value, 4) for value in values] for name, values in table.items()}


if __name__ == "__main__":
    sys.stdout.write(json.dumps(computed(), indent=1) + "\n")
