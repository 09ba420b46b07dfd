"""Finds the head of a cluster, and looks whether it answers and is one that may be used, before Ray itself is asked.

Ray waits for ever for whatever listens there and is none of its own; so another process tries it, which can be ended.
"""

from __future__ import annotations

import asyncio
import ipaddress
import json
import os
import re
import socket
import sys
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass

from arena.executor.interface import ExecutorFailedError
from engine.translatable import Text, from_json

CONNECT_S = 3.0
PROBE_S = 20.0
"""How long a head may take to answer. Ray's own import is not counted: it takes seconds, and many on a busy machine."""
_ADDRESS = re.compile(r"(\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+):(\d{1,5})", re.ASCII)
START_HEAD = Text("start a head with `ray start --head`, or name one with --address HOST:PORT")
AUTO = "auto"


@dataclass(frozen=True, slots=True)
class Head:
    """A head that answered."""

    address: str
    is_closed: bool
    """Whether it listens to this machine alone."""


def check_address(text: str) -> None:
    """Raise ExecutorFailedError unless the text is empty, `auto` or HOST:PORT."""
    found = _ADDRESS.fullmatch(text)
    if text not in ("", AUTO) and (found is None or not 0 < int(found[2]) < 65536):
        why = Text("{text} is no address of a head of Ray; write HOST:PORT, like 127.0.0.1:6379", text=repr(text))
        raise ExecutorFailedError(why)


async def find_head(text: str) -> Head:
    """Return the head at HOST:PORT, or the one that Ray finds by itself. Raises ExecutorFailedError within seconds."""
    text = text or os.environ.get("RAY_ADDRESS", "")
    check_address(text)
    if text in ("", AUTO):
        text = (await _probe(AUTO))["address"]
    host, port = text.rpartition(":")[0].strip("[]"), int(text.rpartition(":")[2])
    try:
        async with asyncio.timeout(CONNECT_S):
            found = await asyncio.get_running_loop().getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, TimeoutError) as error:
        why = Text("no machine is known by the name of {address}; {remedy}", address=text, remedy=START_HEAD)
        raise ExecutorFailedError(why) from error
    is_closed = all(ipaddress.ip_address(one[4][0]).is_loopback for one in found) and await _is_closed(port)
    if not is_closed and os.environ.get("RAY_AUTH_MODE") != "token":
        raise _open(text)
    try:
        async with asyncio.timeout(CONNECT_S):
            _, writer = await asyncio.open_connection(host, port)
    except (OSError, TimeoutError) as error:
        why = Text("no head of Ray answers at {address}; {remedy}", address=text, remedy=START_HEAD)
        raise ExecutorFailedError(why) from error
    writer.close()
    await _probe(text)
    if not is_closed and "problem" not in await _ask(text, {**os.environ, "RAY_AUTH_MODE": "disabled"}):
        raise _open(text)  # it lets us in without a token, too: one that wants none ignores ours
    return Head(text, is_closed)


def _open(text: str) -> ExecutorFailedError:
    why = Text(
        "the head at {address} can be reached from other machines, and whoever reaches it runs programs "
        "there; set RAY_AUTH_MODE=token there and here (`ray get-auth-token --generate` makes the token)",
        address=text,
    )
    return ExecutorFailedError(why)


async def _is_closed(port: int) -> bool:
    """Return whether nothing listens to other machines at a port of this one: Ray mostly listens to all."""
    for address in await asyncio.to_thread(_own_addresses):
        with suppress(OSError, TimeoutError):
            async with asyncio.timeout(CONNECT_S):
                _, writer = await asyncio.open_connection(address, port)
            writer.close()
            return False
    return True


def _own_addresses() -> set[str]:
    """Return the addresses at which others reach this machine, as far as it knows them."""
    found = set()
    with suppress(OSError):
        found |= {str(one[4][0]) for one in socket.getaddrinfo(socket.gethostname(), None, socket.AF_INET)}
    with suppress(OSError), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        probe.connect(("192.0.2.1", 9))  # nothing is sent: it tells the address from which that would be
        found.add(probe.getsockname()[0])
    return {address for address in found if not ipaddress.ip_address(address).is_loopback}


async def _probe(text: str) -> dict[str, str]:
    """Return what a head says of itself, which is of our versions. Raises ExecutorFailedError."""
    found = await _ask(text)
    if problem := found.get("problem"):
        raise ExecutorFailedError(problem)
    python = ".".join(map(str, sys.version_info[:3]))
    for what, theirs, ours in (("Ray", found["ray"], found["own_ray"]), ("Python", found["python"], python)):
        if theirs != ours:
            why = Text(
                "the head at {address} runs {name} {theirs}, and here is {program} {ours}; install the same on both",
                address=text,
                name=what,
                theirs=theirs,
                program=what,
                ours=ours,
            )
            raise ExecutorFailedError(why)
    return found


async def _ask(text: str, environment: Mapping[str, str] | None = None) -> dict[str, str]:
    """Return what `arena.executor.ray.head_probe` says, in this environment or ours. Raises ExecutorFailedError."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", "arena.executor.ray.head_probe", text),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        env=environment,
        start_new_session=True,
    )
    assert process.stdout is not None
    why = Text("what listens at {address} is no head of Ray; {remedy}", address=text, remedy=START_HEAD)
    try:
        await process.stdout.readline()
        async with asyncio.timeout(PROBE_S):
            said = await process.stdout.read()
            await process.wait()
    except TimeoutError:
        raise ExecutorFailedError(why) from None
    finally:
        if process.returncode is None:
            with suppress(ProcessLookupError):
                process.kill()
            await process.wait()
    try:
        return {key: from_json(words) for key, words in json.loads(said.splitlines()[-1]).items()}
    except (ValueError, IndexError):
        raise ExecutorFailedError(why) from None
