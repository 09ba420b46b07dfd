"""The command `arena`. Entry point: `main`. Ctrl-C is answered in one line from the first import on."""

import atexit
import gc
import os
import resource
import signal
import sys


def _end_at_once(_signal: int, _frame: object) -> None:
    # Nothing has begun, so there is nothing to tidy; an exception could end up inside any import.
    os.write(2, b"arena: interrupted\n")
    os._exit(130)


_STACK_BYTES, _SMALLEST_STACK_BYTES = 8 << 20, 256 << 10
"""The stack that bots need, and below which the interpreter itself crashes sooner or later."""


def _raise_limits() -> None:
    """Raise the limits at which this process would end without a word, or blame the disk, as far as the host allows.

    Threads get a stack as large as the limit was when the program began, so with a larger one it begins again.
    """
    for which in (resource.RLIMIT_CPU, resource.RLIMIT_FSIZE, resource.RLIMIT_AS, resource.RLIMIT_DATA):
        _, hard = resource.getrlimit(which)
        resource.setrlimit(which, (hard, hard))
    soft, hard = resource.getrlimit(resource.RLIMIT_STACK)
    most = _STACK_BYTES if hard == resource.RLIM_INFINITY else min(hard, _STACK_BYTES)
    if most < _SMALLEST_STACK_BYTES:
        limit, needed = most // 1024, _STACK_BYTES // 1024
        words = f"arena: this host sets a limit of {limit} (ulimit -s), and the arena needs {needed}; "
        os.write(2, f"{words}raise it with `ulimit -s {needed}`, as root if need be\n".encode())
        os._exit(1)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_STACK, (most, hard))
        os.execv(sys.executable, [sys.executable, *sys.orig_argv[1:]])


def main() -> None:
    """Run the command line of this process."""
    signal.signal(signal.SIGINT, _end_at_once)
    _raise_limits()
    # What the caller closed leads nowhere, or the next file that is opened would be a standard stream.
    for number, name, mode in ((0, "stdin", "r"), (1, "stdout", "w"), (2, "stderr", "w")):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # gets the lowest number that is free, and that is this one
        if getattr(sys, name) is None:
            setattr(sys, name, open(number, mode, encoding="utf-8", closefd=False))  # noqa: SIM115 # for the whole run
    if any("://" in word for word in sys.argv):
        from arena.cli.shared.process_signals import hide_passwords

        hide_passwords()
    gc.disable()  # until all that the command line needs is imported: see arena/cli/shared/connect.py
    from arena.cli.app import run

    code = run(sys.argv[1:], _end_in_order)
    gc.freeze()  # what is left ends with the process, and need not be looked through first
    if "ray._raylet" in sys.modules:
        # Threads of Ray's core live on, and one that meets a destroyed object aborts the process: Python's own end
        # runs here, and no C++ destructor.
        from contextlib import suppress

        atexit._run_exitfuncs()
        for stream in (sys.stdout, sys.stderr):
            with suppress(OSError, ValueError):  # who reads it is gone, or it is closed
                stream.flush()
        os._exit(code)
    sys.exit(code)


def _end_in_order() -> None:
    """Have Ctrl-C raise KeyboardInterrupt from now on."""
    from arena.cli.shared.process_signals import ignore_broken_stderr, note_dropped_interrupts

    ignore_broken_stderr()
    note_dropped_interrupts()
    gc.freeze()
    gc.enable()
    signal.signal(signal.SIGINT, signal.default_int_handler)


if __name__ == "__main__":
    main()
