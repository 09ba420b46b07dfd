"""The files of the C++ kit, of its sample bot and of its template."""

from __future__ import annotations

import os
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
