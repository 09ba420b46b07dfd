"""Knows what bots of each language need from the system, and which Debian packages bring it. Runs pkg-config alone."""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path

from arena.hosting.debian_packages import PACKAGES
from arena.hosting.manifest import BotManifest
from engine.text import Text

NODE = "node"
_CPP = "cpp"
_PROGRAMS = {NODE: ("node",), _CPP: ("g++", "make", "pkg-config", "protoc", "grpc_cpp_plugin")}
_LIBRARIES = {_CPP: {"grpc++_unsecure": "libgrpc++-dev", "protobuf": "libprotobuf-dev"}}
_ASK_S = 20


def missing_packages(language: str) -> list[str]:
    """Return the Debian packages without which bots in that language can be neither built nor run here."""
    missing = [PACKAGES[program] for program in _PROGRAMS.get(language, ()) if shutil.which(program) is None]
    return missing + [package for name, package in _LIBRARIES.get(language, {}).items() if not _has_library(name)]


def install_command(packages: Sequence[str]) -> str:
    """Return the command that installs Debian packages."""
    return f"apt install {' '.join(packages)}"


def with_lack(sentence: str, manifest: BotManifest, directory: Path) -> str:
    """Return a sentence with what the language of a bot needs and this machine does not have behind it, if anything."""
    language = language_of(manifest, directory)
    missing = [] if language is None else missing_packages(language)
    if not missing:
        return sentence
    return Text(
        "hosting.machine_lacks_what_such_bot",
        "{what} (This machine lacks what such a bot needs: {command})",
        what=sentence,
        command=install_command(missing),
    )


def language_of(manifest: BotManifest, directory: Path) -> str | None:
    """Return the language of a bot as far as its needs are known here: `node`, `cpp`, or None."""
    if manifest.runtime == NODE or manifest.command[0] == NODE:
        return NODE
    sources = (path for place in (directory, directory / "kit") for path in place.glob("*.cpp"))
    return _CPP if manifest.build and any(sources) else None


def _has_library(name: str) -> bool:
    """Return whether pkg-config finds a library; without pkg-config, no build would find it either."""
    program = shutil.which("pkg-config")
    if program is None:
        return False
    try:
        return subprocess.run([program, "--exists", name], check=False, timeout=_ASK_S).returncode == 0
    except (OSError, subprocess.SubprocessError):
        return True
