"""The words that the viewer's script says, in a language: the script itself knows none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from arena.i18n.catalogue import words
from arena.match.result import FaultCause

_TEXTS: Final[Mapping[str, Sequence[str]]] = {
    "viewer.start": (),
    "viewer.place": ("ply", "last"),
    "viewer.place_turn": ("ply", "last", "turn"),
    "viewer.value": (),
    "viewer.clock": (),
    "viewer.scoring": (),
    "viewer.scored": ("step", "steps"),
    "viewer.fault": ("bot", "cause"),
    "viewer.by_forced": (),
    "viewer.by_opening": (),
    "viewer.by_caretaker": (),
}
"""Each text with its places, which stay places: the script fills them."""


def viewer_words(language: str) -> dict[str, str]:
    """Return the script's words by the last part of their ids, causes of faults as `fault_timeout`."""
    say = words(language).say
    texts = {
        text_id.partition(".")[2]: say(text_id, **{name: "{" + name + "}" for name in names})
        for text_id, names in _TEXTS.items()
    }
    return texts | {f"fault_{cause.lower()}": say(f"fault.{cause.lower()}") for cause in FaultCause}
