"""The committed code is what the pinned generator makes of the .proto files."""

import subprocess
from pathlib import Path

import pytest

from tests.support.needs import GENERATOR
from tests.wire.surface import PROTOS, ROOT, proto_files
from tools.javascript import write_messages

GENERATED = ("arena/v1", "arena/games")
KIT = "bots/node/kit/messages"
pytestmark = pytest.mark.needs("generator")


def contents(root: Path, *folders: str) -> dict[str, str]:
    """The generated files in these folders, by path."""
    return {
        path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
        for folder in folders
        for path in (root / folder).rglob("*")
        if path.suffix in {".py", ".pyi", ".mjs"}
    }


def assert_fresh(fresh_root: Path, *folders: str) -> None:
    committed, fresh = contents(ROOT, *folders), contents(fresh_root, *folders)
    stale = sorted(name for name in committed.keys() | fresh.keys() if committed.get(name) != fresh.get(name))
    assert fresh
    assert not stale, f"run `make proto` and commit: {stale}"


def test_the_generated_code_is_fresh(tmp_path: Path) -> None:
    command = [str(GENERATOR), "-m", "grpc_tools.protoc", "-I", str(PROTOS)]
    outputs = [f"--{kind}_out={tmp_path}" for kind in ("python", "pyi", "grpc_python")]
    subprocess.run([*command, *outputs, *proto_files()], check=True, cwd=PROTOS)
    assert_fresh(tmp_path, *GENERATED)


def test_the_messages_of_the_node_kit_are_fresh(tmp_path: Path) -> None:
    write_messages(GENERATOR, tmp_path / KIT)
    assert_fresh(tmp_path, KIT)
