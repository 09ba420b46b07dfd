"""Names the Debian packages that bring what a bot needs and this machine lacks: programs, headers, libraries.

Only pkg-config is run.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from engine.translatable import Text

if TYPE_CHECKING:
    from arena.hosting.manifest import BotManifest

PACKAGES = {
    "c++": "g++",
    "cargo": "cargo",
    "cc": "gcc",
    "clang": "clang",
    "clang++": "clang",
    "cmake": "cmake",
    "dotnet": "dotnet-sdk-8.0",
    "g++": "g++",
    "gcc": "gcc",
    "go": "golang-go",
    "grpc_cpp_plugin": "protobuf-compiler-grpc",
    "java": "default-jre-headless",
    "javac": "default-jdk-headless",
    "make": "make",
    "ninja": "ninja-build",
    "node": "nodejs",
    "nodejs": "nodejs",
    "npm": "npm",
    "pkg-config": "pkg-config",
    "protoc": "protobuf-compiler",
    "rustc": "rustc",
    "tsc": "node-typescript",
}
"""The package of each program."""
_HEADERS = {"google/protobuf/": "libprotobuf-dev", "grpc++/": "libgrpc++-dev", "grpcpp/": "libgrpc++-dev"}
_MISSING_PROGRAM = re.compile(r"(?:^|[\s/])([\w.+-]+): (?:command not found|not found|No such file or directory)", re.M)
_MISSING_HEADER = re.compile(r"fatal error: '?([\w.+/-]+)'?:? (?:No such file or directory|file not found)")
NODE = "node"
_CPP = "cpp"
_PROGRAMS = {NODE: ("node",), _CPP: ("g++", "make", "pkg-config", "protoc", "grpc_cpp_plugin")}
_LIBRARIES = {_CPP: {"grpc++_unsecure": "libgrpc++-dev", "protobuf": "libprotobuf-dev"}}
_ASK_S = 20


def hint_in_log(log: str) -> str:
    """Return what is to be installed according to the log of a build, as a sentence; empty if it tells no such thing.

    Shells, `make` and compilers say what they miss.
    """
    for header in _MISSING_HEADER.findall(log):
        for beginning, package in _HEADERS.items():
            if header.startswith(beginning):
                return Text(
                    "{header} is missing; on Debian `apt install {package}` installs it.",
                    header=header,
                    package=package,
                )
    for program in _MISSING_PROGRAM.findall(log):
        if program in PACKAGES:
            return Text(
                "The program {program} is missing; on Debian `apt install {package}` installs it.",
                program=program,
                package=PACKAGES[program],
            )
    return ""


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
        "{what} (This machine lacks what such a bot needs: {command})", what=sentence, command=install_command(missing)
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
