"""Bots that compute when nobody asks them, in every way that the host should not let them keep up."""

from __future__ import annotations

import ctypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

from arena.v1 import play_pb2
from tests.support.scripted_bot import FOREVER_S, Wire, first, play
from tests.support.zoo.deeds import DONE, Aims, Deed, Outcome

LOADING_S = 0.5
BRIEF_S, TOGETHER_S = 0.005, 0.5
"""What each child computes that ends before anybody looks, and what all compute together."""
SESSIONS = 24
"""Fewer than a sandbox allows; each is scheduled as a group of its own where the kernel does so."""
# Where sessions are refused because they would weigh, they are all one group.
_MAKE_SESSIONS = """
import os, sys
for _ in range(int(sys.argv[1])):
    if not os.fork():
        try:
            os.setsid()
        except OSError:
            pass
        while True:
            pass
"""
TICKS_NS = (2_000_000, 50_000_000, 90_000_000, 130_000_000, 170_000_000)
"""Several: a timer whose signal waits to be delivered when the bot is stopped is lost with it."""
_CLOCK_MONOTONIC = 1
_SIGEV_SIGNAL = 0


def spin() -> None:
    """Compute until somebody ends it, or for as long as no test takes."""
    until = time.monotonic() + FOREVER_S
    while time.monotonic() < until:
        pass


def spin_in_sessions(wire: Wire, decide: play_pb2.Decide) -> None:
    """Answers, and computes in as many sessions as it can make: orphans, which no group holds together."""
    subprocess.run([sys.executable, "-I", "-S", "-c", _MAKE_SESSIONS, str(SESSIONS)], check=True)
    wire.send_bytes(first(decide))


def join_and_spin() -> None:
    """Joins at once, and computes in sessions while the others start; it answers as an honest bot does."""
    subprocess.Popen([sys.executable, "-I", "-S", "-c", _MAKE_SESSIONS, str(SESSIONS)])
    play("", 0)


def work_before_joining() -> None:
    """Needs a while of the processor for its start, as a bot that loads a book does."""
    while time.process_time() < LOADING_S:
        pass
    play("", 0)


def wake_by_timer(wire: Wire, decide: play_pb2.Decide) -> None:
    """Has timers of the kernel tell it to go on whenever it was stopped, and computes for ever."""
    signal.signal(signal.SIGCONT, lambda *_: None)  # the kernel puts the timer of a signal off that is ignored
    libc = ctypes.CDLL(None, use_errno=True)
    event = (ctypes.c_int * 16)(0, 0, signal.SIGCONT, _SIGEV_SIGNAL)  # sigevent: value, signal, kind
    for tick_ns in TICKS_NS:
        timer = ctypes.c_void_p()
        if libc.timer_create(_CLOCK_MONOTONIC, event, ctypes.byref(timer)):
            raise OSError(ctypes.get_errno(), "timer_create")
        libc.timer_settime(timer, 0, (ctypes.c_long * 4)(0, tick_ns, 0, tick_ns), None)
    threading.Thread(target=spin, daemon=True).start()
    wire.send_bytes(first(decide))


def compute_in_children(aims: Aims) -> Outcome:
    """Have children compute that nobody waits for, and tell how much they did.

    Each ends after a moment, unless they are to `stay`.
    """
    old = signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # their times are then added to nobody's
    each_s = TOGETHER_S / 4 if "stay" in aims else BRIEF_S
    computed_ns = sum(_compute_in_child(each_s, stays="stay" in aims) for _ in range(round(TOGETHER_S / each_s)))
    signal.signal(signal.SIGCHLD, old or signal.SIG_DFL)
    return {"computed_us": str(computed_ns // 1000)}


def _compute_in_child(each_s: float, *, stays: bool) -> int:
    ours, its = os.pipe()
    if os.fork() == 0:
        while time.process_time() < each_s:
            pass
        os.write(its, str(time.process_time_ns()).encode())
        os.close(its)
        if stays:
            signal.pause()
        os._exit(0)
    os.close(its)
    with os.fdopen(ours) as told:
        return int(told.read(20))


def children_nobody_waits_for(wire: Wire, decide: play_pb2.Decide) -> None:
    """Answers at once, and computes by children that each end after a moment, as long as it lives."""
    if os.fork() == 0:
        while True:
            compute_in_children({})
    wire.send_bytes(first(decide))


def wait_for_file(aims: Aims) -> Outcome:
    """Think until a file is there: an honest bot whose decision lasts as long as a test wants."""
    while not Path(aims["file"]).exists():
        time.sleep(0.01)
    return {"waited": DONE}


ANSWERS: dict[str, Callable[[Wire, play_pb2.Decide], None]] = {
    "spin-in-sessions": spin_in_sessions,
    "wake-by-timer": wake_by_timer,
    "children-nobody-waits-for": children_nobody_waits_for,
}
STARTS = {"join-and-spin": join_and_spin, "work-before-joining": work_before_joining}
DEEDS: dict[str, Deed] = {"wait-for-file": wait_for_file, "compute-in-children": compute_in_children}
