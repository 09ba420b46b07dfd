"""What a comparison is asked: two gains, from Elo, from a preset or as shares of the score."""

from __future__ import annotations

import enum

from arena.cli.shared.errors import MisuseError
from engine.text import Text
from ratings.statistics.scores import expected_score


class Preset(enum.StrEnum):
    """A question that is asked often, by name."""

    QUICK = "quick"
    """Is there something to it at all: no gain, or 60 Elo?"""
    GAIN = "gain"
    """No gain, or 20 Elo?"""
    REGRESSION = "regression"
    """A loss of 20 Elo, or none?"""


DEFAULT = Preset.GAIN
BOUNDS_ELO = {Preset.QUICK: (0.0, 60.0), Preset.GAIN: (0.0, 20.0), Preset.REGRESSION: (-20.0, 0.0)}


def read_bounds(
    preset: Preset | None, elo0: float | None, elo1: float | None, gain: float | None
) -> tuple[float, float]:
    """Return the two gains, shares of the score beyond one half. Raises MisuseError if two ways are mixed."""
    ways = [preset is not None, elo0 is not None or elo1 is not None, gain is not None]
    if sum(ways) > 1:
        raise MisuseError(
            Text(
                "command.preset_elo0_elo1_gain_three",
                "--preset, --elo0 with --elo1, and --gain are three ways to ask; use one of them",
            )
        )
    if gain is not None:
        return 0.0, gain
    if ways[1]:
        if elo0 is None or elo1 is None:
            raise MisuseError(
                Text(
                    "command.elo0_elo1_go_together_example",
                    "--elo0 and --elo1 go together, for example --elo0 0 --elo1 5",
                )
            )
        low, high = elo0, elo1
    else:
        low, high = BOUNDS_ELO[preset or DEFAULT]
    if low >= high:
        raise MisuseError(
            Text(
                "command.elo0_not_below_elo1_example",
                "--elo0 {low} is not below --elo1 {high}; for example --elo0 0 --elo1 5",
                low=f"{low:g}",
                high=f"{high:g}",
            )
        )
    return expected_score(low) - 0.5, expected_score(high) - 0.5
