"""Imports Ray when it is needed, quiet and without reports to anybody, or says how to install it."""

from __future__ import annotations

import ctypes
import importlib
import logging
import os
import signal
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from arena.executor.interface import ExecutorFailedError
from engine.translatable import Text

NAMESPACE = "kingmaker-arena"
"""Where the actors of all coordinators of a cluster find each other."""
_SETTINGS = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_AUTO_CONNECT": "0",  # else a call after the end joins any cluster, or begins one
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
    "RAY_kill_child_processes_on_worker_exit_with_raylet_subreaper": "1",
}
"""Variables of the environment that Ray reads once, at its import."""
PATIENCE = "RAY_gcs_rpc_server_reconnect_timeout_s"
"""Ray ends a process, with no more than a line of its own, so many seconds after the head was lost.

A minute, its own choice, is right for what Ray itself started; we go on, with another head.
"""
_ROOM = 4096  # no system's description of how a signal is handled is larger


def load_ray() -> Any:
    """Return the module `ray`. Raises ExecutorFailedError if it is not installed."""
    for name, value in _SETTINGS.items():
        os.environ.setdefault(name, value)
    os.environ.setdefault(PATIENCE, str(365 * 86_400))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of Ray's own dependencies
            found = importlib.import_module("ray")
    except ImportError as error:
        why = Text("Ray cannot be imported ({why}); install it: pip install 'kingmaker-arena[ray]'", why=error)
        raise ExecutorFailedError(why) from error
    logging.getLogger("ray").setLevel(logging.CRITICAL)
    return found


def keep_exit_statuses() -> None:
    """Have this process learn how its children end; Ray, where it is begun, has the kernel forget that.

    Any thread may call this, which Python's own way does not allow.
    """
    ctypes.CDLL(None).signal(int(signal.SIGCHLD), ctypes.c_void_p(0))


@contextmanager
def keep_handler(number: int) -> Iterator[None]:
    """Give a signal back, in the end, to whoever handles it now.

    Ray has its stack dumped at SIGTERM from when it is begun, and nobody handle that after it was shut down. Any thread
    may use this, which Python's own way does not allow.
    """
    library, kept = ctypes.CDLL(None), ctypes.create_string_buffer(_ROOM)
    library.sigaction(int(number), None, kept)
    try:
        yield
    finally:
        library.sigaction(int(number), kept, None)


def part_of_ray(name: str) -> Any:
    """Return a module of Ray by the part of its name after `ray.`; the package was loaded before."""
    return importlib.import_module(f"ray.{name}")
