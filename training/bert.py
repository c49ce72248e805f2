"""A BERT or an MPNet with linear heads, and how the ranker and the reader are trained, stored and read back."""

from __future__ import annotations

import math
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from quantized import make_quantizable
from torch.nn.functional import scaled_dot_product_attention
from torch.nn.utils.rnn import pad_sequence
from transformers import AutoModel
from transformers.models.mpnet.modeling_mpnet import MPNetSelfAttention

from multihop.models.ranker import Row
from multihop.models.wordpiece import END, PADDING, START

DEVICE = "cuda" if torch.cuda.is_available() else "cpu"
LEAST_RATE = 0.02
_UNKNOWN = 100

Batch = Mapping[str, torch.Tensor]


class Network(torch.nn.Module):
    """A base with linear heads on its tokens. MPNet shares BERT's vocabulary, four numbers further on."""

    def __init__(self, base: Path, heads: Mapping[str, int], *, quantizable: bool = False) -> None:
        super().__init__()
        self.encoder = AutoModel.from_pretrained(base, dtype=torch.float32, add_pooling_layer=False)
        self.is_mpnet = self.encoder.config.model_type == "mpnet"
        for name, outputs in heads.items():
            setattr(self, name, torch.nn.Linear(self.encoder.config.hidden_size, outputs))
        self.head_names = tuple(heads)
        if quantizable:
            make_quantizable(self)

    def forward(self, input_ids: Any, attention_mask: Any, token_type_ids: Any) -> Any:
        """Give the hidden states of all layers, the embeddings first."""
        if self.is_mpnet:
            ids = torch.where(input_ids == _UNKNOWN, 3, input_ids + 4)
            ids = torch.where(input_ids == START, 0, torch.where(input_ids == END, 2, ids))
            ids = torch.where(attention_mask == 0, 1, ids)
            found = self.encoder(input_ids=ids, attention_mask=attention_mask, output_hidden_states=True)
        else:
            found = self.encoder(
                input_ids=input_ids,
                attention_mask=attention_mask,
                token_type_ids=token_type_ids,
                output_hidden_states=True,
            )
        return found.hidden_states

    def first(self, head: str, hidden: Any) -> Any:
        """Apply a head to the first token of each text."""
        return getattr(self, head)(hidden[:, :1])[:, 0].float()


def _fused_attention(
    self: Any, hidden_states: Any, attention_mask: Any = None, position_bias: Any = None, **_: Any
) -> Any:
    """Attention of MPNet by PyTorch's own function: what the library does keeps every matrix."""
    shape = (*hidden_states.shape[:-1], -1, self.attention_head_size)
    q, k, v = (part(hidden_states).view(shape).transpose(1, 2) for part in (self.q, self.k, self.v))
    bias = (position_bias if attention_mask is None else position_bias + attention_mask).to(q.dtype)
    mixed = scaled_dot_product_attention(q, k, v, attn_mask=bias)
    return (self.o(mixed.transpose(1, 2).flatten(2)),)


MPNetSelfAttention.forward = _fused_attention


def tensors(rows: Sequence[Row]) -> Batch:
    """Pad rows to the same length."""
    ids = pad_sequence([torch.tensor(row) for row, _ in rows], batch_first=True, padding_value=PADDING)
    mask = (ids != PADDING).long()
    begins = torch.tensor([second for _, second in rows])
    types = (torch.arange(ids.shape[1]) >= begins[:, None]).long() * mask
    return {"input_ids": ids, "attention_mask": mask, "token_type_ids": types}


def to_device(batch: Batch) -> dict[str, torch.Tensor]:
    return {name: tensor.to(DEVICE, non_blocking=True) for name, tensor in batch.items()}


class Learning:
    """A model in training: heads learn five times as fast, and the rate falls to almost nothing at the end.

    The end is after so many steps, or with `seconds` after so long, whichever comes first.
    """

    def __init__(self, model: Network, rate: float, steps: int, warm_up: int, seconds: float = math.inf) -> None:
        self.model, self.steps, self.warm_up, self.seconds = model.to(DEVICE).train(), steps, warm_up, seconds
        self.taken, self.started = 0, time.perf_counter()
        heads = [p for name in model.head_names for p in getattr(model, name).parameters()]
        groups = [{"params": model.encoder.parameters(), "lr": rate}, {"params": heads, "lr": 5 * rate}]
        self.optimizer = torch.optim.AdamW(groups, weight_decay=0.01, fused=DEVICE == "cuda")
        self.rates = [group["lr"] for group in self.optimizer.param_groups]

    @property
    def spent(self) -> float:
        """Seconds since the start."""
        return time.perf_counter() - self.started

    @property
    def done(self) -> float:
        """The share of the training that is done; 1 at the end."""
        return min(1.0, max(self.taken / self.steps, self.spent / self.seconds))

    def step(self, loss: torch.Tensor) -> None:
        for group, rate in zip(self.optimizer.param_groups, self.rates, strict=True):
            group["lr"] = rate * min(1.0, (self.taken + 1) / self.warm_up) * max(LEAST_RATE, 1 - self.done)
        self.taken += 1
        self.optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step()


def save(model: Network, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    torch.save({name: tensor.detach().half().cpu() for name, tensor in model.state_dict().items()}, path)


def restore(model: Network, path: Path) -> None:
    """Load what `save` wrote, or what of an exported ONNX file the model has; the file's heads it lacks are ignored."""
    if path.suffix != ".onnx":
        model.load_state_dict({name: tensor.float() for name, tensor in torch.load(path).items()})
        return
    own = model.state_dict()
    exact = {name: value for name, value in exported_state(path).items() if name in own}
    left = {name for name in own if name.startswith("encoder.") and name not in exact and "position_ids" not in name}
    if left:
        raise ValueError(f"{path} holds no {', '.join(sorted(left)[:3])}; was it exported from another base?")
    model.load_state_dict(exact, strict=False)


def exported_state(path: Path) -> dict[str, torch.Tensor]:
    """Read the weights of an exported model back, as they were rounded."""
    stored = {each.name: numpy_helper.to_array(each) for each in onnx.load(path).graph.initializer}
    found: dict[str, torch.Tensor] = {}
    for name, value in stored.items():
        if (scale := stored.get(f"{name.removesuffix('.weight')}.scale")) is not None and name.endswith(".weight"):
            found[name] = torch.tensor(np.ascontiguousarray((value.astype(np.float32) * scale).T))
        elif name.endswith((".weight", ".bias")):
            found[name] = torch.tensor(value)
        elif name.endswith("_embeddings"):
            exact = (value.astype(np.float32) - stored[f"{name} zero"]) * stored[f"{name} scale"]
            found[f"encoder.embeddings.{name}.weight"] = torch.tensor(exact)
    return found
