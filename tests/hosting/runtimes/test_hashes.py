import os
from collections.abc import Callable
from pathlib import Path

import pytest

from arena.hosting.runtimes.errors import RuntimeBrokenError
from arena.hosting.runtimes.hashes import FileHashes


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    tree = tmp_path / "tree"
    (tree / "lib" / "__pycache__").mkdir(parents=True)
    (tree / "lib" / "a.py").write_text("a", encoding="utf-8")
    (tree / "b").write_text("b", encoding="utf-8")
    (tree / "link").symlink_to("b")
    return tree


def hash_of(tree: Path, memory: Path | None = None) -> str:
    hashes = FileHashes(memory)
    found = hashes.hash_all({"tree": tree})
    hashes.save()
    return found


def turn(link: Path) -> None:
    link.unlink()
    link.symlink_to("lib")


CHANGES: dict[str, Callable[[Path], object]] = {
    "content": lambda tree: (tree / "b").write_text("c", encoding="utf-8"),
    "mode": lambda tree: (tree / "b").chmod(0o700),
    "name": lambda tree: (tree / "b").rename(tree / "c"),
    "place": lambda tree: (tree / "lib" / "a.py").rename(tree / "a.py"),
    "a new file": lambda tree: (tree / "lib" / "new").touch(),
    "a missing file": lambda tree: (tree / "b").unlink(),
    "a link": lambda tree: turn(tree / "link"),
}


@pytest.mark.parametrize("change", CHANGES.values(), ids=list(CHANGES))
@pytest.mark.parametrize("remembers", [True, False])
def test_any_change_makes_another_hash(
    tree: Path, tmp_path: Path, change: Callable[[Path], object], remembers: bool
) -> None:
    memory = tmp_path / "memory.json" if remembers else None
    before = hash_of(tree, memory)
    change(tree)
    assert hash_of(tree, memory) != before


def test_a_change_of_equal_size_at_the_same_instant_is_seen(tree: Path, tmp_path: Path) -> None:
    before, facts = hash_of(tree, tmp_path / "memory.json"), (tree / "b").stat()
    (tree / "b").write_text("x", encoding="utf-8")
    os.utime(tree / "b", ns=(facts.st_atime_ns, facts.st_mtime_ns))
    assert hash_of(tree, tmp_path / "memory.json") != before


def test_equal_content_elsewhere_and_at_another_time_has_the_same_hash(tree: Path, tmp_path: Path) -> None:
    before = hash_of(tree)
    os.utime(tree / "b", (1, 1))
    tree.rename(tmp_path / "moved")
    assert hash_of(tmp_path / "moved") == before


def test_what_is_compiled_does_not_count(tree: Path) -> None:
    before = hash_of(tree)
    (tree / "lib" / "__pycache__" / "a.pyc").touch()
    assert hash_of(tree) == before


def test_a_file_that_stayed_as_it_was_is_not_read_again(tree: Path, tmp_path: Path) -> None:
    memory = tmp_path / "memory.json"
    before = hash_of(tree, memory)
    remembered = memory.read_text(encoding="ascii")
    memory.write_text(remembered.replace("0", "1"), encoding="ascii")
    assert memory.read_text(encoding="ascii") != remembered
    hash_of(tree, memory)
    assert memory.read_text(encoding="ascii") == remembered
    # The other way round: what the memory says of an unchanged file is believed.
    one = remembered.rindex('"', 0, remembered.rindex('"'))
    memory.write_text(f"{remembered[: one + 1]}{'0' * 64}{remembered[one + 65 :]}", encoding="ascii")
    assert hash_of(tree, memory) != before


@pytest.mark.parametrize("damage", ["", "[]", "{", '{"a": 1}', '{"a": [1]}'])
def test_a_damaged_memory_is_none(tree: Path, tmp_path: Path, damage: str) -> None:
    memory = tmp_path / "memory.json"
    memory.write_text(damage, encoding="ascii")
    assert hash_of(tree, memory) == hash_of(tree)


def test_without_a_place_to_remember_it_works_too(tree: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    assert hash_of(tree, tmp_path / "file" / "memory.json") == hash_of(tree)


def test_what_is_not_there_is_the_machines_fault(tmp_path: Path) -> None:
    with pytest.raises(RuntimeBrokenError, match="nowhere: cannot be read"):
        hash_of(tmp_path / "nowhere")
