"""A small interpreter of classic BPF, so that a seccomp filter of any machine can be asked on this one."""

from __future__ import annotations

import struct

LOAD_WORD, JUMP, RETURN = 0x20, 0x05, 0x06
COMPARISONS = {0x15: "equal", 0x25: "greater", 0x35: "at least", 0x45: "any bit"}


def answer(program: bytes, number: int, architecture: int, *arguments: int) -> int:
    """What the filter answers to a system call: SECCOMP_RET_* with its data."""
    args = (*arguments, 0, 0, 0, 0, 0, 0)[:6]
    data = struct.pack("<IIQ6Q", number, architecture, 0, *args)
    instructions = list(struct.iter_unpack("<HBBI", program))
    accumulator = at = 0
    while True:
        code, if_true, if_false, operand = instructions[at]
        at += 1
        if code == RETURN:
            return int(operand)
        if code == LOAD_WORD:
            (accumulator,) = struct.unpack_from("<I", data, operand)
        else:
            at += if_true if _compare(COMPARISONS[code], accumulator, operand) else if_false


def _compare(kind: str, value: int, operand: int) -> bool:
    return {
        "equal": value == operand,
        "greater": value > operand,
        "at least": value >= operand,
        "any bit": bool(value & operand),
    }[kind]
