"""A process of ours that is spoken to in frames over its pipes, by one who waits for each answer."""

from __future__ import annotations

import json
import os
import select
import struct
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping
from typing import Any

from arena.adapters.errors import TableError
from arena.hosting.pipes import encode_frame

_LENGTHS = struct.Struct(">II")
_STOP_GRACE_S = 10.0


class FramedProcess:
    """A Python module that runs as a process; it ends with its standard input, and so with this process."""

    def __init__(self, module: str, patience_s: float) -> None:
        """Start it; it may take `patience_s` for each frame that is waited for."""
        self._patience_s = patience_s
        self._words = tempfile.TemporaryFile()  # noqa: SIM115 - it is closed with the process
        # In a session of its own: Ctrl-C is for who learns, who may go on.
        self._process = subprocess.Popen(
            [sys.executable, "-P", "-m", module],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._words,
            start_new_session=True,
        )

    def write(self, head: Mapping[str, Any], blob: bytes = b"") -> None:
        """Send a frame. Raises TableError."""
        assert self._process.stdin is not None, "it was started with pipes"
        try:
            self._process.stdin.write(encode_frame(head, blob))
            self._process.stdin.flush()
        except OSError:
            raise self._died() from None

    def read(self) -> tuple[dict[str, Any], bytes]:
        """Return the next frame. Raises TableError if none comes."""
        deadline = time.monotonic() + self._patience_s
        head_size, blob_size = _LENGTHS.unpack(self._read_exactly(_LENGTHS.size, deadline))
        head = json.loads(self._read_exactly(head_size, deadline))
        return head, self._read_exactly(blob_size, deadline)

    def _read_exactly(self, size: int, deadline: float) -> bytes:
        assert self._process.stdout is not None, "it was started with pipes"
        descriptor, found = self._process.stdout.fileno(), bytearray()
        while len(found) < size:
            ready, _, _ = select.select([descriptor], [], [], max(deadline - time.monotonic(), 0))
            if not ready:
                raise TableError(f"the process that hosts the bots has said nothing for {self._patience_s:g} s")
            part = os.read(descriptor, size - len(found))
            if not part:
                raise self._died()
            found += part
        return bytes(found)

    def _died(self) -> TableError:
        self._words.seek(0)
        lines = self._words.read().decode(errors="replace").strip().splitlines()
        last = f": {lines[-1]}" if lines else ""
        return TableError(f"the process that hosts the bots has ended{last}")

    def close(self) -> None:
        """End it and what it has started."""
        for pipe in (self._process.stdin, self._process.stdout):
            assert pipe is not None, "it was started with pipes"
            try:
                pipe.close()
            except OSError:  # it has ended, and what was to be written is lost
                continue
        try:
            self._process.wait(_STOP_GRACE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()  # its launcher sees it, and ends the bots
            self._process.wait()
        self._words.close()
