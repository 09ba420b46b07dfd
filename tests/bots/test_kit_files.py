"""The files of the kits for C++ and Node, and what they bring along: unchanged, and with its licences."""

from __future__ import annotations

import hashlib
import os
import re
import shutil
import subprocess
import tomllib
from pathlib import Path

import pytest

from arena.hosting.manifest import load_manifest
from tests.support.builds import SAMPLE
from tests.support.sources import ROOT


def test_the_kit_has_the_protocol_of_the_arena() -> None:
    vendored = SAMPLE / "kit" / "proto"
    copies = sorted(path.relative_to(vendored) for path in vendored.rglob("*.proto"))
    games = sorted(path.relative_to(ROOT / "proto") for path in (ROOT / "proto" / "arena" / "games").rglob("*.proto"))
    assert copies == [*games, Path("arena/v1/match.proto"), Path("arena/v1/play.proto")]
    for path in copies:
        assert (vendored / path).read_bytes() == (ROOT / "proto" / path).read_bytes(), (
            f"copy proto/{path} to {vendored}"
        )


def test_the_template_is_built_and_started_like_the_sample() -> None:
    template = tomllib.loads((SAMPLE / "template" / "bot.toml").read_text(encoding="utf-8"))
    sample = load_manifest(SAMPLE)
    assert (template["name"], template["games"]) == ("@NAME@", ["@GAME@"])
    assert (template["build"], template["command"]) == (list(sample.build), list(sample.command))
    assert template["runtime"] == sample.runtime


@pytest.mark.needs("cpp")
@pytest.mark.parametrize(
    ("lacking", "package"),
    [
        ("g++", "g++"),
        ("protoc", "protobuf-compiler"),
        ("grpc_cpp_plugin", "protobuf-compiler-grpc"),
        ("pkg-config", "pkg-config"),
    ],
)
def test_what_is_missing_is_named_with_its_package(tmp_path: Path, lacking: str, package: str) -> None:
    for tool in {"g++", "protoc", "grpc_cpp_plugin", "pkg-config"} - {lacking}:
        (tmp_path / tool).symlink_to(shutil.which(tool) or "")
    command = [shutil.which("make") or "", "-f", "kit/Makefile"]
    tried = subprocess.run(command, cwd=SAMPLE, env={"PATH": str(tmp_path)}, capture_output=True, text=True)
    assert tried.returncode == 2
    assert f"{lacking} is missing; install it with: apt-get install {package}" in tried.stderr


@pytest.mark.needs("cpp")
def test_at_home_no_program_is_left_that_would_be_sent(tmp_path: Path) -> None:
    """A builder that got the program with its sources would find that nothing was made."""
    shutil.copytree(SAMPLE, tmp_path / "bot", ignore=shutil.ignore_patterns(".build"))
    command, steps = ["make", "-n", "-f", "kit/Makefile"], {}
    for place, variables in {"home": {}, "arena": {"ARENA_BOT_DIR": "/bot"}}.items():
        environment = {"PATH": os.environ["PATH"], **variables}
        told = subprocess.check_output(command, cwd=tmp_path / "bot", env=environment, text=True)
        steps[place] = told.splitlines()
    assert steps["arena"] == [*steps["home"], "cp .build/bot bot"]
    assert all("-o .build/" in step for step in steps["home"] if " -o " in step)


VENDOR = ROOT / "bots" / "node" / "kit" / "vendor"
MOST_BYTES = 400_000


def packages() -> dict[str, str]:
    """The packages in the library with their versions, as the first line of the file tells."""
    first = (VENDOR / "grpc.cjs").read_text(encoding="utf-8").partition("\n")[0]
    return dict(re.findall(r"(@[\w/-]+) ([\d.]+)", first))


def test_the_library_is_what_the_tool_made() -> None:
    digest, name = (VENDOR / "grpc.cjs.sha256").read_text(encoding="utf-8").split()
    data = (VENDOR / name).read_bytes()
    assert hashlib.sha256(data).hexdigest() == digest, "run tools/vendor_grpc_js.sh; nobody edits it"
    assert len(data) < MOST_BYTES


def test_the_tool_names_the_versions_that_are_there() -> None:
    tool = (ROOT / "tools" / "vendor_grpc_js.sh").read_text(encoding="utf-8")
    assert set(packages()) == {"@grpc/grpc-js", "@js-sdsl/ordered-map"}
    for version in packages().values():
        assert f"={version}\n" in tool


def test_the_licences_of_what_is_in_it_are_told() -> None:
    texts = (VENDOR / "LICENSES.txt").read_text(encoding="utf-8")
    for package in packages():
        assert f"==== {package} ====" in texts
        assert package in (ROOT / "NOTICE").read_text(encoding="utf-8")
        assert f"| {package} | " in (ROOT / "docs" / "licences.md").read_text(encoding="utf-8")


def test_nothing_of_npm_is_committed() -> None:
    kit = VENDOR.parents[1]
    assert not [*kit.rglob("package-lock.json"), *kit.rglob("node_modules")]
