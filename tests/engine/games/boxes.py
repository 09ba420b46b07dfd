"""Where the texts and the pieces of a picture lie, in its units: boxes that are rather too large than too small."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice, takewhile

from engine.picture import Picture

_LETTER = 0.56
"""Width of a letter as a part of its size; of a bold one a little more."""
_BOLD = 1.05
_HALF_PIECE = 20.0
_SIGN = re.compile(r"#(s|c)\d|#rx-(castle|crown|swords)")
"""What signs of Rex Romanorum are called, which have no group of their own."""
_HALF_SIGN = 10.5
_FLATTER = 0.85
"""How much lower a factory is than other pieces."""


@dataclass(frozen=True, slots=True)
class Box:
    """A text, or a piece, which has its letters within."""

    what: str
    left: float
    top: float
    right: float
    bottom: float

    def meets(self, other: Box, slack: float = 2) -> bool:
        """Tell whether two boxes overlap by more than `slack` both ways."""
        across = min(self.right, other.right) - max(self.left, other.left)
        down = min(self.bottom, other.bottom) - max(self.top, other.top)
        return across > slack and down > slack


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where the origin of a group lies, and how large its unit is."""

    x: float = 0
    y: float = 0
    scale: float = 1
    is_upright: bool = False
    """Whether it is turned by 90 degrees."""

    def within(self, transform: str) -> _Frame:
        moved = re.search(r"translate\(([-\d.]+) ([-\d.]+)\)", transform)
        scaled = re.search(r"scale\(([-\d.]+)\)", transform)
        x, y = (float(moved[1]), float(moved[2])) if moved else (0.0, 0.0)
        factor = float(scaled[1]) if scaled else 1.0
        turned = self.is_upright or "rotate(90" in transform
        return _Frame(self.x + self.scale * x, self.y + self.scale * y, self.scale * factor, turned)


def collisions(picture: Picture) -> list[tuple[Box, Box]]:
    """Return which texts and pieces cover each other."""
    found = sorted(boxes(picture), key=lambda box: box.left)
    return [
        (one, other)
        for number, one in enumerate(found, 1)
        for other in takewhile(lambda other, one=one: other.left < one.right, islice(found, number, None))  # type: ignore[misc]
        if one.meets(other)
    ]


def outside(picture: Picture) -> list[Box]:
    """Return which texts and pieces do not lie wholly within the picture."""
    return [
        box
        for box in boxes(picture)
        if box.left < 0 or box.top < 0 or box.right > picture.width or box.bottom > picture.height
    ]


def boxes(picture: Picture) -> list[Box]:
    """Return the box of every text and of every piece."""
    rules = dict(re.findall(r"\.(\w+)\{([^}]*)\}", picture.style))
    return [box for part in picture.parts for box in _boxes(ElementTree.fromstring(part), _Frame(), rules)]


def _boxes(element: ElementTree.Element, frame: _Frame, rules: dict[str, str]) -> Iterator[Box]:
    frame = frame.within(element.get("transform", ""))
    classes = element.get("class", "").split()
    if element.tag == "g" and ("k" in classes or "crown" in classes):
        half = _HALF_PIECE * frame.scale
        letters = "".join(text.text or "" for text in element.iter("text"))
        down = half * _FLATTER if {"m", "x", "z"} & set(classes) else half
        yield Box(letters or "King", frame.x - half, frame.y - down, frame.x + half, frame.y + down)
    elif _SIGN.fullmatch(element.get("href", "")):
        x, y = float(element.get("x", 0)) - _HALF_SIGN, float(element.get("y", 0)) - _HALF_SIGN
        yield _box(element.get("href", ""), x, y, 2 * _HALF_SIGN, 2 * _HALF_SIGN, frame)
    elif element.tag == "text":
        yield from _lines(element, frame, classes, rules)
    else:
        for child in element:
            yield from _boxes(child, frame, rules)


def _lines(element: ElementTree.Element, frame: _Frame, classes: list[str], rules: dict[str, str]) -> Iterator[Box]:
    look = ";".join(["font-size:18px", *(rules.get(name, "") for name in classes)])
    size = float(re.findall(r"font-size:([\d.]+)px", look)[-1])
    gap = float((re.findall(r"letter-spacing:([\d.]+)px", look) or ["0"])[-1])
    letter = size * _LETTER * (_BOLD if "bold" in look else 1) + gap
    for line in list(element) or [element]:
        words = line.text or ""
        width = letter * len(words)
        part = 0.5 if "middle" in look else 1.0 if "end" in look else 0.0
        left = float(line.get("x", 0)) - width * part
        yield _placed(words, left, float(line.get("y", 0)), width, size, frame)


def _placed(words: str, left: float, base: float, width: float, size: float, frame: _Frame) -> Box:
    if frame.is_upright:
        middle = left + width / 2
        return _box(words, middle - size / 2, base - width / 2, size, width, frame)
    return _box(words, left, base - 0.75 * size, width, 0.8 * size, frame)


def _box(words: str, left: float, top: float, width: float, height: float, frame: _Frame) -> Box:
    x, y = frame.x + frame.scale * left, frame.y + frame.scale * top
    return Box(words, x, y, x + frame.scale * width, y + frame.scale * height)
