"""Let a small language model say questions and claims in other words; what they are about and the verdict stay.

    python training/reworded.py --model qwen --examples .training/reading.pkl --out .training/reworded.pkl
        --student bases/bge-small --start src/multihop/models/data/reader.onnx

Reads what reading_examples.py wrote and writes it with two more sources, `reworded` questions and claims. Needs an
instruct model as a folder with model.gguf and the tokenizer of its kind, such as Qwen2.5-Coder-1.5B-Instruct, and a GPU
(300 sentences a second on one H200). What lost a number, a rare word or a negation is dropped, and so is what the
reader of before takes for the contrary.
"""

from __future__ import annotations

import argparse
import pickle
import random
import re
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import torch
from bert import DEVICE, Network, restore
from contrast import Verdict
from reader import HEADS, verdicts
from reading_examples import Asked, Examples, Judged, to_array
from rows import compose, decode, part
from text_kinds import tidy

from multihop.models.reader import QUESTION
from multihop.models.wordpiece import tokens

CLAIMS = {
    "contrast": 10, "stated": 8, "feverous": 5, "contracts": 2, "changes": 5, "facts": 3, "unsaid": 3, "tables": 2,
    "articles": 4, "foolme": 1, "cells": 3, "stances": 2,
}  # fmt: skip
QUESTIONS = {
    "squad": 5, "newwiki": 4, "reddit": 4, "policy": 3, "qamr": 3, "stories": 3, "series": 1, "changes": 5, "cells": 4,
    "condqa": 1, "facts": 3, "made": 2, "times": 1, "limits": 2,
}  # fmt: skip
"""Sources, and how much is taken of each."""
SHARE, LONGEST, MOST = 0.6, 45, 44
"""The share of claims among all that is asked for, the longest text in words, and the tokens that are written."""
RARE, KEPT = 9000, 0.6
"""From which number on a word of the vocabulary is rare, and the share of rare words that must be kept."""
_NEGATION = re.compile(r"\b(not|no|never|nobody|none|nothing|neither|nor|without|cannot|\w+n't)\b|n ' t\b")
_LEADS = re.compile(r'^\W*(?:(?:statement|question|rewritten|answer|[qsca])\s*:)?[\s"]*', re.IGNORECASE)
_TOLD = {
    "claim": ("Say the statement in other words. Use other verbs and another order. Keep every name, number, date and"
              " negation exactly, and add nothing.", (
        ("the concert on friday was put off until 12 may because the singer was ill.",
         "since the singer had fallen ill, friday's concert was postponed to 12 may."),
        ("members may not bring more than two guests at a time.",
         "it is not allowed for a member to come with over two guests at once."),
        ("marit holm took over as treasurer from paul reed in 2019.",
         "in 2019 paul reed was succeeded by marit holm as treasurer."),
        ("the bridge is 320 metres long and was designed by an engineer from lyon.",
         "an engineer from lyon drew up the plans of the bridge, whose length is 320 metres."),
    )),
    "question": ("Ask the question in other words. Use other verbs and another order. Keep every name, number and date"
                 " exactly, and ask for the same thing.", (
        ("what year did marit holm become treasurer?", "since when has marit holm looked after the money?"),
        ("how much does it cost to rent the large hall for one evening?",
        "what do i pay for an evening in the large hall?"),
        ("who designed the bridge over the tarn?", "which engineer drew the plans of the bridge across the tarn?"),
        ("can i cancel my booking two days before?", "is it possible to call off a booking with two days to go?"),
    )),
}  # fmt: skip


class Said(NamedTuple):
    """A question or claim of an example, as text."""

    kind: str
    source: str
    number: int
    text: str


def readable(ids: Sequence[int]) -> str:
    """Write tokens as text without the spaces that parting left."""
    text = tidy(decode(ids))
    text = re.sub(r" ?(['’]) (s|t|re|ve|ll|d|m)\b", r"\1\2", text)
    text = re.sub(r"(\d) ([.,:]) (?=\d)", r"\1\2", re.sub(r"(\d)([.,:]) (?=\d)", r"\1\2", text))
    return re.sub(r"(?<=\w) - (?=\w)", "-", re.sub(r"([(\[$£€]) ", r"\1", text)).replace(" / ", "/")


def drawn(seen: Examples, chance: random.Random) -> Iterator[Said]:
    """Draw questions and claims of many sources, none of them twice."""
    kinds: dict[str, tuple[Mapping[str, int], Mapping[str, Sequence[Any]]]] = {
        "claim": (CLAIMS, seen.judged),
        "question": (QUESTIONS, seen.asked),
    }
    orders: dict[tuple[str, str], list[int]] = {}
    for kind, (weights, found) in kinds.items():
        for source in weights:
            orders[kind, source] = chance.sample(range(n := len(found.get(source, ()))), n)
    while any(orders.values()):
        kind = "claim" if chance.random() < SHARE else "question"
        weights, found = kinds[kind]
        source = chance.choices(list(weights), list(weights.values()))[0]
        if orders[kind, source]:
            number = orders[kind, source].pop()
            each: Any = found[source][number]
            text = readable((each.claim if kind == "claim" else each.question).tolist())
            if 5 <= len(text.split()) <= LONGEST:
                yield Said(kind, source, number, text)


def cleaned(written: str, kind: str) -> str:
    """Take the first line of what a model wrote."""
    text = _LEADS.sub("", written.strip().split("\n")[0]).strip().strip('"').strip().lower()
    return text if (text.endswith("?") or kind == "claim") and 3 < len(text.split()) <= LONGEST + 15 else ""


def faithful(said: str, again: str) -> bool:
    """Whether numbers, negations and most rare words of a text are in another, and its words are not just the same."""
    if set(re.findall(r"\d+", said)) != set(re.findall(r"\d+", again)):
        return False
    if len(_NEGATION.findall(said)) % 2 != len(_NEGATION.findall(again)) % 2:
        return False
    one, other = (set(re.findall(r"\w+", text)) for text in (said, again))
    rare = [word for word in one if len(ids := tokens(word, 9)) > 1 or (ids and ids[0] >= RARE)]
    if rare and sum(word in other for word in rare) < KEPT * len(rare):
        return False
    return 0.15 <= len(one & other) / len(one | other) <= 0.8


class Writer:
    """An instruct model that answers many prompts at once."""

    def __init__(self, folder: Path) -> None:
        from transformers import AutoModelForCausalLM, AutoTokenizer

        self.tokenizer = AutoTokenizer.from_pretrained(str(folder), gguf_file="model.gguf")
        self.tokenizer.padding_side = "left"
        self.tokenizer.pad_token = self.tokenizer.pad_token or "<|endoftext|>"
        kind = torch.bfloat16 if DEVICE == "cuda" else torch.float32
        model = AutoModelForCausalLM.from_pretrained(str(folder), gguf_file="model.gguf", dtype=kind)
        self.model = model.to(DEVICE).eval()
        self.ends = [self.tokenizer.convert_tokens_to_ids(end) for end in ("<|im_end|>", "<|endoftext|>")]
        self.ends.append(self.tokenizer.encode("\n")[0])

    @torch.inference_mode()  # type: ignore[untyped-decorator]
    def write(self, batch: Sequence[Said]) -> list[str]:
        prompts = []
        for said in batch:
            task, shown = _TOLD[said.kind]
            talk = [{"role": "system", "content": task}]
            for text, again in shown:
                talk += [{"role": "user", "content": text}, {"role": "assistant", "content": again}]
            talk.append({"role": "user", "content": said.text})
            prompts.append(self.tokenizer.apply_chat_template(talk, tokenize=False, add_generation_prompt=True))
        read = self.tokenizer(prompts, return_tensors="pt", padding=True).to(DEVICE)
        written = self.model.generate(
            **read, max_new_tokens=MOST, do_sample=True, temperature=0.7, top_p=0.9, eos_token_id=self.ends,
            pad_token_id=self.tokenizer.pad_token_id,
        )  # fmt: skip
        texts = self.tokenizer.batch_decode(written[:, read["input_ids"].shape[1] :], skip_special_tokens=True)
        return [cleaned(text, said.kind) for said, text in zip(batch, texts, strict=True)]


def not_contrary(pairs: Sequence[tuple[str, str]], model: Network) -> list[bool]:
    """Whether a verifier takes none of two texts for the contrary of the other."""
    rows = [compose(to_array(b, QUESTION), [(to_array(a, QUESTION), ())]) for one in pairs for a, b in (one, one[::-1])]
    found = verdicts(model, rows).argmax(1).reshape(-1, 2)
    return [Verdict.CONTRADICTED not in each for each in found.tolist()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--model", type=Path, required=True, help="folder with an instruct model as model.gguf")
    parser.add_argument("--examples", type=Path, default=Path(".training/reading.pkl"))
    parser.add_argument("--out", type=Path, default=Path(".training/reworded.pkl"))
    parser.add_argument("--student", type=Path, required=True, help="folder of the reader's base")
    parser.add_argument("--start", type=Path, required=True, help="the reader of before")
    parser.add_argument("--seconds", type=float, default=200)
    parser.add_argument("--batch", type=int, default=2048)
    arguments = parser.parse_args()
    examples: Examples = pickle.loads(arguments.examples.read_bytes())
    seen, _ = part(examples)
    before = Network(arguments.student, HEADS, quantizable=True)
    restore(before, arguments.start)
    before.to(DEVICE).eval()
    writer, started = Writer(arguments.model), time.perf_counter()
    texts, asked, judged, written = drawn(seen, random.Random(3)), list[Asked](), list[Judged](), 0
    while time.perf_counter() - started < arguments.seconds:
        batch = [said for _, said in zip(range(arguments.batch), texts, strict=False)]
        if not batch:
            break
        found = [(s, t) for s, t in zip(batch, writer.write(batch), strict=True) if t and faithful(s.text, t)]
        kept = not_contrary([(said.text, text) for said, text in found], before) if found else []
        for said, text in (each for each, keep in zip(found, kept, strict=True) if keep):
            if said.kind == "claim":
                judged.append(seen.judged[said.source][said.number]._replace(claim=to_array(text, QUESTION)))
            else:
                asked.append(seen.asked[said.source][said.number]._replace(question=to_array(text, QUESTION)))
        written += len(batch)
        print(f"{time.perf_counter() - started:.0f} s: {written} written, {len(asked) + len(judged)} kept", flush=True)
        for said, text in found[:3]:
            print(f"  {said.source}: {said.text} -> {text}", flush=True)
    examples.asked["reworded"], examples.judged["reworded"] = asked, judged
    arguments.out.write_bytes(pickle.dumps(examples))


if __name__ == "__main__":
    main()
