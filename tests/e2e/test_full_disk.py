"""A service whose disk becomes full: it can be looked at all the while, and goes on by itself when there is room."""

import sys

import pytest

from tests.support.machines import run_on_small_disk
from tests.support.places import Place


@pytest.mark.needs("minutes")
@pytest.mark.host_fault("disk-full-under-a-service")
def test_a_service_on_a_full_disk_loses_nothing_can_be_looked_at_and_goes_on_when_there_is_room(place: Place) -> None:
    words = [sys.executable, "-m", "tests.e2e.on_a_small_disk", str(place.directory)]
    told = run_on_small_disk(place.directory, 16_000, words)
    assert told == ["0 0 0 200 200 200", "False True", "False 0", "False 0", "15"]
