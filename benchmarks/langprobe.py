"""Run our HoVer programs, unchanged, in LangProBe's own harness: its benchmark, its evaluation, its metric.

    python benchmarks/langprobe.py --langprobe path/to/langProBe
    python benchmarks/langprobe.py --langprobe path/to/langProBe --data datasets --lm openai/gpt-4.1-mini

LangProBe is run from a checkout of github.com/Shangyint/langProBe and nothing of it is here. It takes HoVer from the
hub by `datasets.load_dataset("hover")`; here that call is answered with HoVer's official files, or without --data with
the sample that comes with multihop. Without --lm a scripted model answers, so nothing leaves the machine. With --lm
LangProBe's own programs of three hops are run as well, over a lexical search of the same index, seven documents a hop.
"""

from __future__ import annotations

import argparse
import builtins
import importlib
import sys
import tempfile
import types
from pathlib import Path
from typing import Any

import dspy

from multihop import Engine, HoverMultiHopPipeline
from multihop.evaluation.datasets import Dataset, load
from multihop.programs.langprobe import LangProBeRM
from multihop.testing import write_hover_sample
from multihop.testing.lm import ScriptedLM

FORMS = ("gap", "gap-documented", "listwise", "listwise-documented")
OWN = ("HoverMultiHop", "HoverMultiHopPredict")
"""LangProBe's programs; no rules take the place of a model in them."""


def rows(dataset: Dataset) -> list[dict[str, Any]]:
    """Write questions as the hub has HoVer: facts as objects whose key is a title."""
    gold = {id for q in dataset.questions for id in q.gold}
    titles = {d.id: d.title for d in dataset.documents() if d.id in gold}
    return [
        {"claim": q.text, "supporting_facts": [{"key": titles[g], "value": 0} for g in q.gold], "label": q.label}
        for q in dataset.questions
    ]


def answer_load_dataset(splits: dict[str, list[dict[str, Any]]]) -> None:
    """Put a module `datasets` in place that knows HoVer and nothing else."""

    def load_dataset(name: str, **_how: object) -> dict[str, list[dict[str, Any]]]:
        if name != "hover":
            raise SystemExit(f"LangProBe asked for the dataset {name!r}; only hover is here")
        return splits

    module = types.ModuleType("datasets")
    module.load_dataset = load_dataset  # type: ignore[attr-defined]  # a module made here
    sys.modules["datasets"] = module


def _part(name: str) -> Any:
    return importlib.import_module(f"langProBe.{name}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--langprobe", type=Path, required=True, help="checkout of github.com/Shangyint/langProBe")
    parser.add_argument("--data", type=Path, help="folder with hover/ in its official files; without it the sample")
    parser.add_argument("--index", type=Path, help="index of that corpus; without it one is made for this run")
    parser.add_argument("--lm", help="a model in LiteLLM's notation; without it a scripted one")
    parser.add_argument("--lm-base", help="its address")
    parser.add_argument("--forms", help=f"programs, separated by commas: {', '.join((*FORMS, *OWN))}")
    arguments = parser.parse_args()
    if not arguments.lm and set(OWN).intersection((arguments.forms or "").split(",")):
        raise SystemExit("LangProBe's own programs need a language model: give --lm")
    if not (arguments.langprobe / "langProBe" / "benchmark.py").is_file():
        raise SystemExit(f"{arguments.langprobe} is not a checkout of LangProBe: it has no langProBe/benchmark.py")
    with tempfile.TemporaryDirectory() as scratch:
        data = arguments.data or Path(scratch)
        if not arguments.data:
            write_hover_sample(data / "hover")
        train, dev = (load("hover", data, split=split) for split in ("train", "dev"))
        answer_load_dataset({"train": rows(train), "validation": rows(dev)})
        sys.path.insert(0, str(arguments.langprobe))
        # At commit 351b371 its module of HoVer programs uses this name without importing it.
        name = "LangProBeDSPyMetaProgram"
        setattr(builtins, name, getattr(_part("dspy_program"), name))
        evaluate_bench = _part("benchmark").EvaluateBench
        metric = _part("hover.hover_utils").discrete_retrieval_eval
        benchmark = _part("hover.hover_data").hoverBench()

        index = arguments.index or Path(scratch) / "hover.mh"
        with Engine.open(index, create=not arguments.index) as engine:
            if not arguments.index:
                engine.add(dev.documents(), whole=True)
            dspy.configure(rm=LangProBeRM(engine))
            for form in arguments.forms.split(",") if arguments.forms else (*FORMS, *(OWN if arguments.lm else ())):
                if form in OWN:
                    program = getattr(_part("hover.hover_program"), form)()
                else:
                    program = HoverMultiHopPipeline(engine, form=form)
                lm = arguments.lm or ScriptedLM({})
                # A server of one's own takes any key, but there must be one.
                key = "none" if arguments.lm_base else None
                bench = evaluate_bench(benchmark, program, metric, lm, api_base=arguments.lm_base, api_key=key)
                [result] = bench.evaluate()
                score = getattr(result.score, "score", result.score)
                print(f"{form}: {score:.1f} on {len(benchmark.get_test_set())} claims", flush=True)


if __name__ == "__main__":
    main()
