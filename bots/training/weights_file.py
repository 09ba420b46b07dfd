"""The file of weights: the numbers by name, what they began with, and the climbs that led from one to the other."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import isfinite
from pathlib import Path
from typing import Any

DIGITS = 4
"""The significant digits of a weight that are kept; no duel could tell more apart."""


class WeightsFileError(Exception):
    """A file of weights cannot be read or written, or does not fit the game. The message is a sentence."""


@dataclass(frozen=True, slots=True)
class WeightsFile:
    """What the file says."""

    weights: Mapping[str, float]
    began_with: Mapping[str, float]
    climbs: Sequence[Mapping[str, str]]
    """For each climb `made_by`, the command, and `trial`, what its weights did against those it began with."""

    def dump(self) -> str:
        """Return the file's text."""
        told = {"climbs": list(self.climbs), "weights": dict(self.weights), "began_with": dict(self.began_with)}
        return json.dumps(told, indent=1) + "\n"

    def in_order(self, names: Sequence[str], which: Mapping[str, float]) -> tuple[float, ...]:
        """Return `which`, weights of this file, in the order of these names. Raises WeightsFileError if they differ."""
        if set(which) != set(names):
            odd = ", ".join(sorted(set(which) ^ set(names)))
            raise WeightsFileError(
                f"the weights of the file are not those of the game ({odd}); take a file of this game"
            )
        return tuple(which[name] for name in names)


def rounded(value: float) -> float:
    """Return a weight as it is kept."""
    return float(f"{value:.{DIGITS}g}")


def read_weights(path: Path) -> WeightsFile:
    """Return what a file of weights says. Raises WeightsFileError."""
    try:
        told: Any = json.loads(path.read_text(encoding="utf-8"))
        weights, began_with = _numbers(told["weights"]), _numbers(told["began_with"])
        climbs = [{"made_by": str(climb["made_by"]), "trial": str(climb["trial"])} for climb in told["climbs"]]
    except OSError as error:
        raise WeightsFileError(
            f"{path} cannot be read: {error.strerror}; give a file that the training wrote"
        ) from None
    except (ValueError, KeyError, TypeError, AttributeError):
        raise WeightsFileError(f"{path} is no file of weights; give a file that the training wrote") from None
    return WeightsFile(weights, began_with, climbs)


def _numbers(told: Mapping[str, float]) -> dict[str, float]:
    numbers = {str(name): float(value) for name, value in told.items()}
    if not all(map(isfinite, numbers.values())):
        raise ValueError("a weight is not finite")
    return numbers
