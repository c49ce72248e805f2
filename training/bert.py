"""A BERT or an MPNet with linear heads, and how the ranker and the reader are trained, stored and read back."""

from __future__ import annotations

from collections.abc import Container, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import torch
from onnx import numpy_helper
from quantized import make_quantizable
from torch.nn.functional import pad, scaled_dot_product_attention
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
    """A base with linear heads on its tokens. MPNet shares BERT's vocabulary, four numbers further on.

    In the layers of `halved`, which only a BERT may have, two tokens become one.
    """

    def __init__(
        self, base: Path, heads: Mapping[str, int], *, quantizable: bool = False, halved: Sequence[int] = ()
    ) -> None:
        super().__init__()
        self.halved = frozenset(halved)
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
        elif self.halved:
            return _halving(self.encoder, self.halved, input_ids, attention_mask, token_type_ids)
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


def _halving(encoder: Any, halved: Container[int], input_ids: Any, attention_mask: Any, token_type_ids: Any) -> Any:
    """Run a BERT whose tokens ask in pairs in some layers, so that fewer come out (Dai et al. 2020)."""
    hidden, mask = encoder.embeddings(input_ids=input_ids, token_type_ids=token_type_ids), attention_mask.bool()
    found = [hidden]
    for number, layer in enumerate(encoder.encoder.layer):
        asking, asked = _pairs(hidden, mask) if number in halved else (hidden, mask)
        own = layer.attention.self
        shape = (len(hidden), -1, own.num_attention_heads, own.attention_head_size)
        parts = ((own.query, asking), (own.key, hidden), (own.value, hidden))
        q, k, v = (part(of).view(shape).transpose(1, 2) for part, of in parts)
        mixed = scaled_dot_product_attention(q, k, v, attn_mask=mask[:, None, None])
        attended = layer.attention.output(mixed.transpose(1, 2).flatten(2), asking)
        hidden, mask = layer.output(layer.intermediate(attended), attended), asked
        found.append(hidden)
    return found


def _pairs(hidden: Any, mask: Any) -> tuple[Any, Any]:
    """Give the mean of every two tokens; the first stays alone, and so does a last one that has no neighbor."""
    odd = (hidden.shape[1] - 1) % 2
    rest, counted = pad(hidden[:, 1:], (0, 0, 0, odd)), pad(mask[:, 1:], (0, odd))
    rest, counted = rest.unflatten(1, (-1, 2)), counted.unflatten(1, (-1, 2))
    means = (rest * counted[..., None]).sum(2) / counted.sum(2).clamp(min=1)[..., None]
    return torch.cat([hidden[:, :1], means.to(hidden.dtype)], 1), torch.cat([mask[:, :1], counted.any(2)], 1)


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
    """A model in training: heads learn five times as fast, and the rate falls to almost nothing at the last step."""

    def __init__(self, model: Network, rate: float, steps: int, warm_up: int) -> None:
        self.model, self.steps, self.warm_up = model.to(DEVICE).train(), steps, warm_up
        heads = [p for name in model.head_names for p in getattr(model, name).parameters()]
        groups = [{"params": model.encoder.parameters(), "lr": rate}, {"params": heads, "lr": 5 * rate}]
        self.optimizer = torch.optim.AdamW(groups, weight_decay=0.01, fused=DEVICE == "cuda")
        self.rates = [group["lr"] for group in self.optimizer.param_groups]

    def step(self, loss: torch.Tensor, step: int) -> None:
        for group, rate in zip(self.optimizer.param_groups, self.rates, strict=True):
            group["lr"] = rate * min(1.0, (step + 1) / self.warm_up) * max(LEAST_RATE, 1 - step / self.steps)
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
