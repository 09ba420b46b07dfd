"""Figures of a running service behind one small interface, and their text for Prometheus.

This module does what a dependency would: three kinds of metrics with labels, and the exposition format in
its text version 0.0.4. Every thread may use them.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

SECONDS = (0.001, 0.005, 0.02, 0.1, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0, 1800.0)
"""Upper bounds for what takes a millisecond or half an hour."""

CONTENT_TYPE = "text/plain; version=0.0.4; charset=utf-8"

Labels = tuple[str, ...]


class _Metric(Protocol):
    def lines(self) -> list[str]:
        """Return its samples in the exposition format."""


class _Values:
    """The values of a metric by the values of its labels; of a histogram, the sums."""

    def __init__(self, name: str, kind: str, help_: str, labels: Labels) -> None:
        self._name, self._kind, self._help, self._labels = name, kind, help_, labels
        self._lock = threading.Lock()
        self._values: dict[Labels, float] = {}

    def lines(self) -> list[str]:
        with self._lock:
            return [*self._head(), *(self._sample(values, self._values[values]) for values in sorted(self._values))]

    def _check(self, values: Labels) -> Labels:
        if len(values) != len(self._labels):
            raise ValueError(f"{self._name} has the labels {self._labels}, not {len(values)}")
        return values

    def _head(self) -> list[str]:
        return [f"# HELP {self._name} {_escape_help(self._help)}", f"# TYPE {self._name} {self._kind}"]

    def _sample(self, values: Labels, value: float, suffix: str = "", bound: str | None = None) -> str:
        names = [*self._labels, *(["le"] if bound is not None else [])]
        texts = [*values, *([bound] if bound is not None else [])]
        pairs = ",".join(f'{name}="{_escape(text)}"' for name, text in zip(names, texts, strict=True))
        return f"{self._name}{suffix}{{{pairs}}} {value:.17g}" if pairs else f"{self._name}{suffix} {value:.17g}"


class Counter(_Values):
    """Something that only grows."""

    def __init__(self, name: str, help_: str, labels: Labels) -> None:
        super().__init__(name, "counter", help_, labels)
        if not labels:
            self._values[()] = 0.0

    def add(self, amount: float = 1.0, *values: str) -> None:
        """Add to the sum for these values of the labels."""
        with self._lock:
            self._values[values] = self._values.get(self._check(values), 0.0) + amount


class Gauge(_Values):
    """Something that goes up and down."""

    def __init__(self, name: str, help_: str, labels: Labels) -> None:
        super().__init__(name, "gauge", help_, labels)

    def set(self, value: float, *values: str) -> None:
        """Set the value for these values of the labels."""
        with self._lock:
            self._values[self._check(values)] = value

    def clear(self) -> None:
        """Forget all values: what is not set again is gone."""
        with self._lock:
            self._values.clear()


class Histogram(_Values):
    """How often a figure was how large."""

    def __init__(self, name: str, help_: str, labels: Labels, buckets: Sequence[float]) -> None:
        super().__init__(name, "histogram", help_, labels)
        self._bounds = tuple(sorted(buckets))
        self._counts: dict[Labels, list[int]] = {}

    def observe(self, figure: float, *values: str) -> None:
        """Count one figure for these values of the labels."""
        with self._lock:
            counts = self._counts.setdefault(self._check(values), [0] * (len(self._bounds) + 1))
            counts[next((place for place, bound in enumerate(self._bounds) if figure <= bound), -1)] += 1
            self._values[values] = self._values.get(values, 0.0) + figure

    def lines(self) -> list[str]:
        with self._lock:
            return [*self._head(), *(line for values in sorted(self._counts) for line in self._lines_of(values))]

    def _lines_of(self, values: Labels) -> list[str]:
        lines, total = [], 0
        for bound, count in zip((*map("{:g}".format, self._bounds), "+Inf"), self._counts[values], strict=True):
            total += count
            lines.append(self._sample(values, total, "_bucket", bound))
        return [*lines, self._sample(values, self._values[values], "_sum"), self._sample(values, total, "_count")]


_M = TypeVar("_M", bound=_Metric)


class Metrics:
    """All metrics of a service, by name; asked for a name again, it returns the same metric."""

    def __init__(self) -> None:
        self._metrics: dict[str, _Metric] = {}
        self._fillers: list[Callable[[], None]] = []
        self._lock = threading.Lock()

    def counter(self, name: str, help_: str, labels: Labels = ()) -> Counter:
        """Return the counter of that name."""
        return self._get(Counter, name, lambda: Counter(name, help_, labels))

    def gauge(self, name: str, help_: str, labels: Labels = ()) -> Gauge:
        """Return the gauge of that name."""
        return self._get(Gauge, name, lambda: Gauge(name, help_, labels))

    def histogram(self, name: str, help_: str, labels: Labels = (), buckets: Sequence[float] = SECONDS) -> Histogram:
        """Return the histogram of that name."""
        return self._get(Histogram, name, lambda: Histogram(name, help_, labels, buckets))

    def before_export(self, fill: Callable[[], None]) -> None:
        """Call `fill` each time before the figures are rendered, to set gauges that nobody keeps up."""
        self._fillers.append(fill)

    def render(self) -> str:
        """Return all figures in Prometheus' text format."""
        for fill in self._fillers:
            fill()
        with self._lock:
            metrics = [self._metrics[name] for name in sorted(self._metrics)]
        return "".join(f"{line}\n" for metric in metrics for line in metric.lines())

    def _get(self, kind: type[_M], name: str, make: Callable[[], _M]) -> _M:
        with self._lock:
            found = self._metrics.get(name)
            if found is None:
                found = self._metrics[name] = make()
        if not isinstance(found, kind):
            raise ValueError(f"{name} is a {type(found).__name__} already")
        return found


def _escape_help(text: str) -> str:
    return text.replace("\\", r"\\").replace("\n", r"\n")


def _escape(text: str) -> str:
    return _escape_help(text).replace('"', r"\"")
