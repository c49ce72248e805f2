"""Compare the ranker's arithmetic: how far from exact and how fast on this processor, how far on an emulated one.

    python benchmarks/processors.py --data datasets
    python benchmarks/processors.py --data datasets --emulate Haswell   # needs qemu-user

Each form reads the same pairs of HotpotQA dev, each question beside its gold passages and two others, in turns. Exact
is the same model with its weights as 32-bit floats. Needs the package onnx. The time of an emulation says nothing.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import time
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray
from onnx import ModelProto, helper, numpy_helper

from multihop.cli.processor import limitation
from multihop.models.ranker import inputs, rows

PRECISE = "session.x64quantprecision"
SHIPPED, PRECISELY = "7-bit weights, fast kernel, as shipped", "7-bit weights, precise kernel"


def read_pairs(data: Path, questions: int) -> list[dict[str, NDArray[np.int64]]]:
    passages = {row["title"]: row["text"] for row in map(json.loads, (data / "corpus.jsonl").open(encoding="utf-8"))}
    titles, chance = sorted(passages), random.Random(0)
    pairs = []
    for row in [json.loads(line) for line in (data / "dev.jsonl").open(encoding="utf-8")][:questions]:
        for title in (*row["gold_titles"], *chance.sample(titles, 2)):
            [read] = rows(row["question"], [(f"{title}: {passages[title]}"[:320], "")])
            pairs.append(inputs(read))
    return pairs


def as_floats(model: ModelProto) -> ModelProto:
    """Write the same model with 32-bit weights and no rounding of activations."""
    constants = {each.name: numpy_helper.to_array(each) for each in model.graph.initializer}
    rounded: dict[str, str] = {}
    nodes, weights = [], []
    for node in model.graph.node:
        if node.op_type == "DynamicQuantizeLinear":
            rounded[node.output[0]] = node.input[0]
        elif node.op_type in ("DynamicQuantizeMatMul", "MatMulIntegerToFloat"):
            dynamic = node.op_type == "DynamicQuantizeMatMul"
            given, by, scale = (node.input[i] for i in ((0, 1, 2) if dynamic else (0, 1, 3)))
            weights.append(numpy_helper.from_array(constants[by].astype(np.float32) * constants[scale], f"{by} float"))
            product = f"{node.output[0]} product"
            nodes.append(helper.make_node("MatMul", [given if dynamic else rounded[given], f"{by} float"], [product]))
            nodes.append(helper.make_node("Add", [product, node.input[4 if dynamic else 6]], [node.output[0]]))
        else:
            nodes.append(node)
    exact = ModelProto()
    exact.CopyFrom(model)
    del exact.graph.node[:]
    exact.graph.node.extend(nodes)
    exact.graph.initializer.extend(weights)
    return exact


def session(model: ModelProto, **entries: str) -> Any:
    options = onnxruntime.SessionOptions()
    options.log_severity_level, options.intra_op_num_threads = 3, 1
    for name, value in entries.items():
        options.add_session_config_entry(name, value)
    return onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--data", type=Path, required=True, help="folder that holds hotpotqa/")
    parser.add_argument("--questions", type=int, default=40)
    parser.add_argument("--emulate", help="a processor of qemu-x86_64, such as Haswell")
    parser.add_argument(
        "--scores", action="store_true", help="print the scores of both kernels as JSON and nothing else"
    )
    arguments = parser.parse_args()
    pairs = read_pairs(arguments.data / "hotpotqa", arguments.questions)
    model = onnx.load_from_string(resources.files("multihop.models").joinpath("data", "ranker.onnx").read_bytes())
    kernels = {SHIPPED: session(model), PRECISELY: session(model, **{PRECISE: "1"})}
    if arguments.scores:
        print(json.dumps({name: [float(own.run(None, pair)[0][0]) for pair in pairs] for name, own in kernels.items()}))
        return
    forms = {"32-bit floats": session(as_floats(model)), **kernels}
    seconds = dict.fromkeys(forms, 0.0)
    scores: dict[str, list[float]] = {name: [] for name in forms}
    for pair in pairs:
        for name, form in forms.items():
            started = time.perf_counter()
            scores[name].append(float(form.run(None, pair)[0][0]))
            seconds[name] += time.perf_counter() - started
    exact, *_ = scores.values()
    slowest, *_ = seconds.values()
    print(f"{len(pairs)} pairs, logits from {min(exact):.1f} to {max(exact):.1f}; {limitation() or 'with VNNI'}\n")
    print("| arithmetic | mean difference | largest | time |\n|---|---|---|---|")
    for name, found in scores.items():
        apart = np.abs(np.array(found) - np.array(exact))
        print(f"| {name} | {apart.mean():.3f} | {apart.max():.3f} | {seconds[name] / slowest:.2f} × |")
    if arguments.emulate:
        again = [
            sys.executable,
            __file__,
            "--scores",
            "--data",
            str(arguments.data),
            "--questions",
            str(arguments.questions),
        ]
        done = subprocess.run(["qemu-x86_64", "-cpu", arguments.emulate, *again], check=True, stdout=subprocess.PIPE)
        emulated: dict[str, list[float]] = json.loads(done.stdout)
        for name, found in emulated.items():
            apart = np.abs(np.array(found) - np.array(exact))
            print(f"| {name}, {arguments.emulate} | {apart.mean():.3f} | {apart.max():.3f} | |")
        apart = np.abs(np.array(emulated[SHIPPED]) - np.array(scores[SHIPPED]))
        print(f"\n{arguments.emulate} beside this processor: mean {apart.mean():.4f}, largest {apart.max():.3f}")


if __name__ == "__main__":
    main()
