"""Whether a process polls gRPC's completion queue itself, as the worker and the kit do. It imports no grpc.

grpc.aio has a thread that polls, and wakes the event loop for every message; gRPC does its I/O in yet another one. A
thread that polls the queue itself, with gRPC's I/O in that poll, needs about a quarter of the CPU for a round trip. The
queue is in grpcio's private layer: so it is used with the versions that it was tried with, and grpc.aio with others.
"""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

OLDEST, NEWEST = (1, 76), (1, 85)
"""The versions of grpcio from which to which it was tried, every second one of them."""
EXPERIMENTS = "GRPC_EXPERIMENTS"
"""The variable of gRPC's own in which `prepare` sets it up."""
# gRPC's older I/O, which happens in the thread that polls; the newer one has threads of its own.
_POLLED_IO = "-event_engine_listener,-event_engine_client"


@dataclass(frozen=True, slots=True)
class QueueRefusal:
    """Why the queue is not used, and what to do about it; both are empty where it is used."""

    why: str = ""
    remedy: str = ""
    is_mistake: bool = False
    """Whether what was asked for is no road at all."""


def refusal() -> QueueRefusal:
    """Return why the queue is not used here.

    ARENA_GRPC names the road: `aio`, or `queue` with any version; by `auto`, or without it, the queue with those
    that were tried.
    """
    wanted = os.environ.get("ARENA_GRPC", "")
    if wanted in ("", "auto", "queue") and sys.platform == "linux":
        version = grpcio_version()
        if wanted == "queue" or _was_tried(version):
            return QueueRefusal()
        return QueueRefusal(f"grpcio {version} was not tried", "pip install 'grpcio>=1.76,<1.86'")
    from engine.translatable import Text  # the kit loads this module, and a bot may have an `engine` of its own

    if wanted == "aio":
        return QueueRefusal(Text("ARENA_GRPC is aio"))
    if wanted in ("", "auto", "queue"):
        return QueueRefusal(Text("{system} was not tried", system=sys.platform))
    why = Text('ARENA_GRPC is "{value}", none of auto, queue and aio', value=f"{wanted:.20}")
    return QueueRefusal(why, Text("unset ARENA_GRPC"), is_mistake=True)


def _was_tried(version: str) -> bool:
    numbers = re.match(r"(\d+)\.(\d+)\.", version)
    return numbers is not None and OLDEST <= (int(numbers[1]), int(numbers[2])) <= NEWEST


def prepare() -> bool:
    """Return whether the queue is used, and set gRPC up for it; to be called before grpc is imported.

    Later it is too late, and where somebody has set gRPC's experiments, they stay: then the queue is polled all the
    same, and gRPC's I/O happens in its own threads, at more cost. A road that there is not is told of on stderr.
    """
    refused = refusal()
    if refused.is_mistake:
        _warn_once(f"{refused.why}; {refused.remedy}")
    if refused.why:
        return False
    os.environ.setdefault(EXPERIMENTS, _POLLED_IO)
    return True


@cache
def _warn_once(line: str) -> None:
    sys.stderr.write(f"{line}\n")


@cache
def grpcio_version() -> str:
    """Return the version of the grpcio that is installed, or an empty text."""
    spec = find_spec("grpc")
    if spec is None or spec.origin is None:
        return ""
    try:
        text = Path(spec.origin).with_name("_grpcio_metadata.py").read_text(encoding="utf-8")
    except (OSError, ValueError):
        return ""
    found = re.search(r'"+([0-9][^"]*)"', text)
    return found.group(1) if found else ""
