"""Linear layers that can round in training as the exported model does when it runs (Jacob et al. 2018).

Weights are rounded to seven bits with a scale for each output, inputs to eight bits with one scale and zero for each
text, as `network.py` writes them and DynamicQuantizeLinear computes them; gradients pass as if nothing were rounded.
Two things differ from the export: padding of a batch counts for the range of a text, and under autocast the product is
computed in bfloat16.
"""

from __future__ import annotations

from typing import Any

import torch
from network import LARGEST
from torch.nn.functional import linear


class QuantizedLinear(torch.nn.Linear):
    """A linear layer that rounds its weights and inputs while `rounds` is set."""

    rounds = False

    def forward(self, inputs: Any) -> Any:
        if not self.rounds:
            return linear(inputs, self.weight, self.bias)
        with torch.autocast(inputs.device.type, enabled=False):
            weights = _straight_through(self.weight, rounded_weights(self.weight.detach()))
            values = _straight_through(inputs.float(), rounded_inputs(inputs.detach().float()))
        return linear(values.to(inputs.dtype), weights.to(inputs.dtype), self.bias.to(inputs.dtype))


def rounded_weights(weights: Any) -> Any:
    scales = weights.abs().amax(1, keepdim=True).clamp(min=1e-8) / LARGEST
    return (weights / scales).round().clamp(-LARGEST, LARGEST) * scales


def rounded_inputs(inputs: Any) -> Any:
    """Round to 256 steps between the least and the greatest value of each text; zero is always one of them."""
    own = tuple(range(1, inputs.dim()))
    least, greatest = inputs.amin(own, keepdim=True).clamp(max=0), inputs.amax(own, keepdim=True).clamp(min=0)
    scale = ((greatest - least) / 255).clamp(min=1e-8)
    zero = (-least / scale).round()
    return (((inputs / scale).round() + zero).clamp(0, 255) - zero) * scale


def _straight_through(exact: Any, rounded: Any) -> Any:
    return exact + (rounded - exact).detach()


def make_quantizable(model: Any) -> None:
    """Put a layer that can round in the place of every linear layer of a model."""
    for name, child in list(model.named_children()):
        if type(child) is torch.nn.Linear:
            layer = QuantizedLinear(child.in_features, child.out_features)
            layer.load_state_dict(child.state_dict())
            setattr(model, name, layer)
        else:
            make_quantizable(child)


def set_rounding(model: Any, rounds: bool) -> None:
    for module in model.modules():
        if isinstance(module, QuantizedLinear):
            module.rounds = rounds
