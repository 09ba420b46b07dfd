"""The few instructions of classic BPF of which a seccomp filter is made. Values only."""

from __future__ import annotations

# linux/bpf_common.h and linux/filter.h
LOAD_WORD = 0x20
JUMP_IF_EQUAL, JUMP_IF_AT_LEAST, JUMP_IF_GREATER, JUMP_IF_ANY_BIT = 0x15, 0x35, 0x25, 0x45
RETURN = 0x06
# linux/seccomp.h
ALLOW, KILL_PROCESS, ERRNO = 0x7FFF0000, 0x80000000, 0x00050000
# struct seccomp_data: int nr; u32 arch; u64 instruction_pointer; u64 args[6]. Both machines are little-endian.
NUMBER, ARCHITECTURE = 0, 4
_FIRST_ARGUMENT, _ARGUMENT_BYTES, _WORD_BYTES = 16, 8, 4

Instruction = tuple[int, int, int, int]
"""struct sock_filter: code, jump if true, jump if false, operand."""


def argument(index: int) -> int:
    """Return where the lower 32 bits of an argument lie."""
    return _FIRST_ARGUMENT + _ARGUMENT_BYTES * index


def high_word(index: int) -> int:
    """Return where the upper 32 bits of an argument lie."""
    return argument(index) + _WORD_BYTES


def when(jump: int, operand: int, answer: int) -> list[Instruction]:
    """Return the instructions that give an answer if a comparison holds, and else go on."""
    return [(jump, 0, 1, operand), (RETURN, 0, 0, answer)]
