"""What is to be installed, according to what shells and compilers say."""

import pytest

from arena.hosting.debian_packages import hint_in_log


@pytest.mark.parametrize(
    ("log", "package"),
    [
        ("sh: 1: g++: not found\nmake: *** [Makefile:3: bot] Error 127", "g++"),
        ("make: cmake: No such file or directory", "cmake"),
        ("bash: line 1: cargo: command not found", "cargo"),
        ("/bin/sh: 1: protoc: not found", "protobuf-compiler"),
        ("kit.hpp:3:10: fatal error: grpcpp/grpcpp.h: No such file or directory", "libgrpc++-dev"),
        ("x.cc:1:10: fatal error: 'google/protobuf/message.h' file not found", "libprotobuf-dev"),
    ],
)
def test_a_log_that_misses_a_tool_names_its_package(log: str, package: str) -> None:
    assert f"`apt install {package}`" in hint_in_log(log)


@pytest.mark.parametrize(
    "log",
    ["", "main.cc:3: error: expected ';'", "main.cc: No such file or directory", "fatal error: mine.h: none"],
)
def test_other_logs_give_no_hint(log: str) -> None:
    assert hint_in_log(log) == ""
