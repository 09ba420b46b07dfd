"""Names the Debian packages that bring what a bot needs and this machine lacks: programs, headers, libraries.

Only pkg-config and interpreters are run, to ask them for libraries.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from arena.hosting.bot_languages import CPP, GO, JAVA, LUA, NODE, PERL, RUBY, RUST, SHELL, C, language_of
from engine.translatable import Text

if TYPE_CHECKING:
    from arena.hosting.manifest import BotManifest

PACKAGES = {
    "awk": "mawk",
    "c++": "g++",
    "cargo": "cargo",
    "cc": "gcc",
    "clang": "clang",
    "clang++": "clang",
    "cmake": "cmake",
    "dotnet": "dotnet-sdk-8.0",
    "g++": "g++",
    "gawk": "gawk",
    "gcc": "gcc",
    "go": "golang-go",
    "grpc_cpp_plugin": "protobuf-compiler-grpc",
    "jar": "default-jdk-headless",
    "java": "default-jre-headless",
    "javac": "default-jdk-headless",
    "jq": "jq",
    "lua": "lua5.4",
    "luajit": "luajit",
    "make": "make",
    "mawk": "mawk",
    "ninja": "ninja-build",
    "node": "nodejs",
    "nodejs": "nodejs",
    "npm": "npm",
    "perl": "perl",
    "pkg-config": "pkg-config",
    "protoc": "protobuf-compiler",
    "ruby": "ruby",
    "rustc": "rustc",
    "tsc": "node-typescript",
}
"""The package of each program."""
_HEADERS = {"google/protobuf/": "libprotobuf-dev", "grpc++/": "libgrpc++-dev", "grpcpp/": "libgrpc++-dev"}
_MISSING_PROGRAM = re.compile(r"(?:^|[\s/])([\w.+-]+): (?:command not found|not found|No such file or directory)", re.M)
_MISSING_HEADER = re.compile(r"fatal error: '?([\w.+/-]+)'?:? (?:No such file or directory|file not found)")
_PROGRAMS = {
    C: ("cc",),
    CPP: ("g++", "make", "pkg-config", "protoc", "grpc_cpp_plugin"),
    GO: ("go",),
    JAVA: ("javac",),
    LUA: ("lua",),
    NODE: ("node",),
    PERL: ("perl",),
    RUBY: ("ruby",),
    RUST: ("rustc", "cc"),
    SHELL: ("awk",),
}
_LIBRARIES: Mapping[str, Mapping[tuple[str, ...], str]] = {
    CPP: {
        ("pkg-config", "--exists", "grpc++_unsecure"): "libgrpc++-dev",
        ("pkg-config", "--exists", "protobuf"): "libprotobuf-dev",
    },
    # Debian's smallest installation has the program, and none of the modules that come with it.
    PERL: {("perl", "-MJSON::PP", "-e", "1"): "perl"},
}
"""The package of each library that a language needs, by the command that succeeds if it is there."""
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
    missing += [package for probe, package in _LIBRARIES.get(language, {}).items() if not _works(probe)]
    return list(dict.fromkeys(missing))


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


def _works(probe: Sequence[str]) -> bool:
    """Return whether a command that asks for a library finds it; without its program nothing would."""
    program = shutil.which(probe[0])
    if program is None:
        return False
    try:
        done = subprocess.run([program, *probe[1:]], check=False, timeout=_ASK_S, capture_output=True)
    except (OSError, subprocess.SubprocessError):
        return True
    return done.returncode == 0
