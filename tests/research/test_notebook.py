"""The notebook in examples/ is executed as it stands, in a kernel of its own."""

import os
from pathlib import Path
from typing import Any

import nbclient
import nbformat
import pytest

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
