"""Bots that reach for what is not theirs: processes, files, tokens, the network. Each tells what it could do."""

from __future__ import annotations

import ctypes
import os
import signal
import socket
from collections.abc import Iterator
from pathlib import Path

import grpc

from tests.support.scripted_bot import Wire
from tests.support.zoo.deeds import DONE, Aims, Deed, Outcome, attempt, must_be_confined

PTRACE_ATTACH, PTRACE_DETACH = 16, 17
PIDFD_GETFD = 438
OTHER_TOKEN = b"ARENA_TOKEN="


def others() -> Iterator[int]:
    """All processes it can see but itself."""
    for name in os.listdir("/proc"):  # noqa: PTH208
        if name.isdigit() and int(name) != os.getpid():
            yield int(name)


def environments() -> Iterator[bytes]:
    for process in others():
        try:
            yield Path(f"/proc/{process}/environ").read_bytes()
        except OSError:
            continue


def read_processes(aims: Aims) -> Outcome:
    """The aim `secret` stands in the environment of another process of the same user."""
    found = any(aims["secret"].encode() in environment for environment in environments())
    return {"secret": DONE if found else "unseen", "processes": str(len(list(others())))}


def trace_processes(aims: Aims) -> Outcome:
    """Its own child, too: the call itself must not work."""
    must_be_confined(aims)
    libc = ctypes.CDLL(None, use_errno=True)
    child = os.fork()
    if not child:
        signal.pause()
        os._exit(0)

    def trace(process: int) -> None:
        if libc.ptrace(PTRACE_ATTACH, process, None, None) != 0:
            raise OSError(ctypes.get_errno(), "ptrace")
        libc.ptrace(PTRACE_DETACH, process, None, None)

    outcomes = {attempt(lambda process=process: trace(process)) for process in others()}  # type: ignore[misc]
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return {"trace": DONE if DONE in outcomes else min(outcomes)}


def kill_siblings(aims: Aims) -> Outcome:
    """Everything it can see, one by one and all at once."""
    must_be_confined(aims)
    sandbox = {1, os.getppid()}  # with these it would end itself
    killed = [process for process in others() if process not in sandbox]
    outcomes = {str(process): attempt(lambda process=process: os.kill(process, 9)) for process in killed}  # type: ignore[misc]
    return {**dict(list(outcomes.items())[:5]), "victim": attempt(lambda: os.kill(int(aims["victim"]), 9))}


def read_files(aims: Aims) -> Outcome:
    """The aims `database`, `code` and `socket` are paths; and whether it can change its own code."""
    wanted = {name: attempt(Path(aims[name]).read_bytes) for name in ("database", "code")}
    wanted["listing"] = attempt(lambda: os.listdir(Path(aims["database"]).parent))  # noqa: PTH208
    wanted["own code"] = attempt(lambda: Path(__file__).open("a").close())
    wanted["beside own code"] = attempt(lambda: Path(__file__).with_name("more.py").touch())
    return wanted


def connect(aims: Aims) -> Outcome:
    """The aim `port` is open on the loopback, `abstract` is a unix socket without a file."""

    def try_tcp() -> None:
        with socket.create_connection(("127.0.0.1", int(aims["port"])), timeout=5):
            pass

    def try_udp() -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
            udp.sendto(b"hello", ("127.0.0.1", int(aims["port"])))

    def try_abstract() -> None:
        with socket.socket(socket.AF_UNIX) as unix:
            unix.connect("\0" + aims["abstract"])

    return {"tcp": attempt(try_tcp), "udp": attempt(try_udp), "abstract": attempt(try_abstract)}


def read_another_bots_descriptors(aims: Aims) -> Outcome:
    """Those of each process that it sees, or of those started before it: by their links and by a system call."""
    try:
        processes = list(others())
    except OSError:
        processes = [*range(os.getpid() - 30, os.getpid()), os.getppid()]
    done: Outcome = {}
    for process in processes:
        for number in (0, 1, *range(3, 12)):
            link = f"/proc/{process}/fd/{number}"
            done[link] = attempt(lambda link=link: os.close(os.open(link, os.O_RDWR | os.O_NONBLOCK)))  # type: ignore[misc]
        done[f"take from {process}"] = attempt(lambda process=process: take_descriptor(process))  # type: ignore[misc]
    return {what: why for what, why in done.items() if why == DONE} or dict(list(done.items())[-5:])


def take_descriptor(process: int) -> None:
    """Have the kernel duplicate the standard output of another process. Raises OSError."""
    pidfd = os.pidfd_open(process)
    try:
        if ctypes.CDLL(None, use_errno=True).syscall(PIDFD_GETFD, pidfd, 1, 0) == -1:
            raise OSError(ctypes.get_errno(), "refused")
    finally:
        os.close(pidfd)


def use_another_token(aims: Aims) -> Outcome:
    """One that it made up, and every one that it can find."""
    own = os.environ["ARENA_TOKEN"].encode()
    words = {word for environment in environments() for word in environment.split(b"\0")}
    stolen = {word.removeprefix(OTHER_TOKEN) for word in words if word.startswith(OTHER_TOKEN)} - {own}
    found = try_token(min(stolen).decode()) if stolen else "unseen"
    return {"made up": try_token("x" * 32), "found": found}


def try_token(token: str) -> str:
    wire = Wire(token)
    wire.join()
    try:
        next(wire.responses())
    except grpc.RpcError as error:
        return str(error.code().name)
    finally:
        wire.close()
    return DONE


DEEDS: dict[str, Deed] = {
    function.__name__.replace("_", "-"): function
    for function in (
        read_processes,
        trace_processes,
        kill_siblings,
        read_files,
        connect,
        read_another_bots_descriptors,
        use_another_token,
    )
}
