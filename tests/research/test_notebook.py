"""Notebooks: the one in examples/ as it stands, in a kernel of its own, and the stop button of any."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbclient
import nbformat
import pytest
from jupyter_client.manager import start_new_kernel

from tests.support.patience import PATIENCE_S

NOTEBOOK = Path(__file__).parents[2] / "examples/research.ipynb"


@pytest.fixture(scope="module")
def executed(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The notebook with its outputs."""
    directory = tmp_path_factory.mktemp("notebook")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("STUDY_DB", str(directory / "study.db"))
        patch.setenv("STUDY_CLOCK", f"{PATIENCE_S:g}s")
        patch.setenv("IPYTHONDIR", str(directory / "ipython"))
        patch.setenv("JUPYTER_RUNTIME_DIR", str(directory / "runtime"))
        patch.setenv("JUPYTER_PLATFORM_DIRS", "1")
        client = nbclient.NotebookClient(notebook, timeout=2 * PATIENCE_S, resources={"metadata": {"path": directory}})
        client.execute()
    assert os.environ.get("STUDY_DB") is None
    return notebook


def shown(notebook: Any, kind: str) -> list[str]:
    """What its cells show of that type, in their order."""
    cells = [cell for cell in notebook.cells if cell.cell_type == "code"]
    return [output.data[kind] for cell in cells for output in cell.outputs if kind in output.get("data", {})]


def test_the_notebook_is_committed_without_what_it_shows() -> None:
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    nbformat.validate(notebook)
    assert not [cell for cell in notebook.cells if cell.cell_type == "code" and (cell.outputs or cell.execution_count)]


def test_it_shows_a_match_with_its_board_and_all_tables(executed: Any) -> None:
    match, plies, study, board, official, cross, frame = shown(executed, "text/html")
    assert "data:image/svg+xml;base64," in match
    assert "<th>action</th>" in plies
    for table in (study, board, official, cross, frame):
        assert all(name in table for name in ("random", "ends_turns", "looks-ahead"))
    assert "18 of 18 matches" in study


def test_its_own_bots_do_nothing_wrong(executed: Any) -> None:
    (study,) = [text for text in shown(executed, "text/plain") if "18 of 18 matches" in text]
    assert "at fault" not in study
    assert not [line for line in study.splitlines()[2:5] if line.split()[-1] != "0"]


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
