"""The environments that make sets up."""

from pathlib import Path

import pytest

from tools import environment


def test_one_of_another_python_is_told_in_a_line_with_the_remedy(tmp_path: Path) -> None:
    programs = tmp_path / "bin"
    programs.mkdir()
    for name in ("python", "python3", "python3.11", "python3.12", "python3.13", "python3.14"):
        (programs / name).symlink_to("/bin/false")  # stays as it is, and cannot run what comes with this Python
    with pytest.raises(
        environment.SetupError, match=r"^\S+ was made by another Python, or is damaged; remove it: rm -rf \S+$"
    ):
        environment._make(tmp_path)
