"""Metrics: what Prometheus reads is what was counted, whatever the labels are called."""

import re
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.service.metrics import Metrics
from tests.support.texts import CHARACTERS

SAMPLE = re.compile(r'([a-z_]+)(?:\{((?:[a-z_]+="(?:[^"\\\n]|\\.)*",?)*)\})? (\S+)')
PAIR = re.compile(r'[a-z_]+="((?:[^"\\\n]|\\.)*)"')


def samples(metrics: Metrics) -> dict[tuple[str, tuple[str, ...]], float]:
    """Every sample by its name and the values of its labels, read as the format's specification says."""
    found = {}
    for line in metrics.render().split("\n"):
        if line and not line.startswith("#"):
            match = SAMPLE.fullmatch(line)
            assert match, line
            values = tuple(
                re.sub(r"\\(.)", lambda one: {"n": "\n"}.get(one[1], one[1]), text)
                for text in PAIR.findall(match[2] or "")
            )
            found[match[1], values] = float(match[3])
    return found


@given(st.lists(st.tuples(st.text(CHARACTERS, max_size=5), st.floats(0, 1e6)), max_size=10))
def test_a_counter_is_the_sum_of_what_was_added_for_each_label(added: list[tuple[str, float]]) -> None:
    metrics = Metrics()
    counter = metrics.counter("faults_total", "Faults.", ("owner",))
    for owner, amount in added:
        counter.add(amount, owner)
    sums: dict[str, float] = {}
    for owner, amount in added:
        sums[owner] = sums.get(owner, 0.0) + amount
    assert samples(metrics) == {("faults_total", (owner,)): total for owner, total in sums.items()}


@given(st.lists(st.floats(0, 20), max_size=20))
def test_the_buckets_of_a_histogram_hold_what_is_not_larger_than_their_bound(figures: list[float]) -> None:
    metrics = Metrics()
    histogram = metrics.histogram("seconds", "Durations.", buckets=(1, 10))
    for figure in figures:
        histogram.observe(figure)
    found = samples(metrics)
    if not figures:
        assert found == {}
        return
    assert found["seconds_bucket", ("1",)] == sum(figure <= 1 for figure in figures)
    assert found["seconds_bucket", ("10",)] == sum(figure <= 10 for figure in figures)
    assert found["seconds_bucket", ("+Inf",)] == found["seconds_count", ()] == len(figures)
    assert found["seconds_sum", ()] == pytest.approx(sum(figures))


def test_gauges_are_filled_just_before_they_are_read() -> None:
    metrics = Metrics()
    gauge = metrics.gauge("busy", "Busy slots.", ("activity",))
    metrics.before_export(lambda: gauge.set(3, "ladder"))
    assert samples(metrics) == {("busy", ("ladder",)): 3}
    gauge.clear()
    assert "busy" in metrics.render()


def test_a_name_is_one_metric_of_one_kind() -> None:
    metrics = Metrics()
    assert metrics.counter("a_total", "A.") is metrics.counter("a_total", "A.")
    with pytest.raises(ValueError, match="Counter already"):
        metrics.gauge("a_total", "A.")
    with pytest.raises(ValueError, match="labels"):
        metrics.counter("a_total", "A.").add(1, "too many")


def test_threads_lose_no_count() -> None:
    counter = Metrics().counter("a_total", "A.", ("who",))

    def add_many() -> None:
        for _ in range(2000):
            counter.add(1, "x")

    threads = [threading.Thread(target=add_many) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert counter.lines()[-1] == 'a_total{who="x"} 8000'
