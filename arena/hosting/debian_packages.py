"""Names the Debian package of a program or a header that a bot needs and that is not installed here. Pure."""

from __future__ import annotations

import re

from engine.text import Text

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


def hint_in_log(log: str) -> str:
    """Return what is to be installed according to the log of a build, as a sentence; empty if it tells no such thing.

    Shells, `make` and compilers say what they miss.
    """
    for header in _MISSING_HEADER.findall(log):
        for beginning, package in _HEADERS.items():
            if header.startswith(beginning):
                return Text(
                    "hosting.missing_debian_apt_install_installs",
                    "{header} is missing; on Debian `apt install {package}` installs it.",
                    header=header,
                    package=package,
                )
    for program in _MISSING_PROGRAM.findall(log):
        if program in PACKAGES:
            return Text(
                "hosting.program_missing_debian_apt_install",
                "The program {program} is missing; on Debian `apt install {package}` installs it.",
                program=program,
                package=PACKAGES[program],
            )
    return ""
