"""Requests to the launcher come out of its pipe as they went in."""

import json

import pytest

from arena.hosting.launcher.request import Confinement, StartRequest, WatchedLimits

LIMITS = WatchedLimits(memory_bytes=1, processes=2, disk_bytes=3, files=4, output_bytes=5, descriptors=6)
WRAPPED = Confinement({"RLIMIT_CORE": 0}, "AAAA", ["bwrap", "{uid}"], own_uid=True)
REDUCED = Confinement({"RLIMIT_CORE": 0}, "AAAA", [], landlock={"read": ["/usr"], "list": [], "write": []})


@pytest.mark.parametrize("confinement", [None, WRAPPED, REDUCED])
@pytest.mark.parametrize("limits", [None, LIMITS])
def test_a_request_crosses_the_pipe_unchanged(limits: WatchedLimits | None, confinement: Confinement | None) -> None:
    request = StartRequest(["python", "main.py"], "/bots/x", {"A": "b"}, "/tmp/x", limits, confinement, "x", "/y")
    assert StartRequest.from_json(json.loads(json.dumps(request.to_json()))) == request


def test_a_program_is_named_as_it_is_started_unless_told_otherwise() -> None:
    assert StartRequest(["/bot/main"], "/bots/x", {}).named_program == "/bot/main"
    assert StartRequest(["/bot/main"], "/bots/x", {}, program="/bots/x/main").named_program == "/bots/x/main"
