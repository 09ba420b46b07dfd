"""The stop button of a notebook ends a run in good order; the kernel lives on, and plays the rest."""

import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from jupyter_client.manager import start_new_kernel

from tests.support.patience import PATIENCE_S

BEGIN = f"""
from arena.api import Arena

arena = Arena("study.db", workers=1)

def mine(decision):
    return decision.legal_actions[0]

def tell(state):
    print("over", state.over, flush=True)

terms = dict(clock="{PATIENCE_S:g}s", start_limit="{PATIENCE_S:g}s", seed=1)
arena.tournament("foreign_king", ["random", mine], name="long", blocks=400, progress=tell, **terms)
"""
GO_ON = """
print("left", not arena.result("long").is_over, arena.cancel("long").matches > 0)
"""


class Kernel:
    """A kernel that runs cells, as a notebook has one."""

    def __init__(self, directory: Path) -> None:
        self._manager, self._client = start_new_kernel(
            startup_timeout=PATIENCE_S, kernel_name="python3", cwd=str(directory)
        )

    def run(self, code: str) -> Iterator[tuple[str, Any]]:
        """Run a cell, and yield each message about it, its type first, until it is done."""
        asked = self._client.execute(code)
        deadline = time.monotonic() + PATIENCE_S
        while True:
            message = self._client.get_iopub_msg(timeout=deadline - time.monotonic())
            if message["parent_header"].get("msg_id") == asked:
                yield message["msg_type"], message["content"]
                if message["content"].get("execution_state") == "idle":
                    return

    def interrupt(self) -> None:
        self._manager.interrupt_kernel()

    def close(self) -> None:
        self._client.stop_channels()
        self._manager.shutdown_kernel(now=True)


@pytest.fixture
def kernel(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Kernel]:
    for name in ("IPYTHONDIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))
    monkeypatch.setenv("JUPYTER_PLATFORM_DIRS", "1")
    made = Kernel(tmp_path)
    yield made
    made.close()


def test_the_stop_button_ends_a_run_and_the_kernel_lives_on(kernel: Kernel) -> None:
    errors = []
    was_stopped = False
    for kind, content in kernel.run(BEGIN):
        if kind == "stream" and not was_stopped and re.search(r"over [1-9]", content["text"]):
            was_stopped = True
            kernel.interrupt()
        if kind == "error":
            errors.append((content["ename"], content["evalue"]))
    assert was_stopped
    ((name, told),) = errors
    assert name == "RunStoppedError"
    assert "Arena.resume('long') plays the rest" in told
    said = "".join(content["text"] for kind, content in kernel.run(GO_ON) if kind == "stream")
    assert said == "left True True\n"
