"""Every seed of a tournament, derived from one secret by HMAC-SHA256, so that none tells another. No I/O but urandom.

A bot's seed hangs on its place (block, rotation, seat), never on the random id of a match: the same secret gives the
same seeds in every database, in every attempt.
"""

from __future__ import annotations

import hashlib
import hmac
import os

SEED_BITS = 53  # what a double holds exactly, and so JavaScript
MAX_SEED = (1 << SEED_BITS) - 1
_SECRET_BYTES = 32


def new_secret() -> bytes:
    """A secret of the operating system's; nobody can compute the seeds before it is published."""
    return os.urandom(_SECRET_BYTES)


def secret_from_seed(seed: int) -> bytes:
    """The secret of a reproducible tournament: whoever knows the seed knows every die in it."""
    return hashlib.sha256(f"kingmaker-arena tournament seed {seed}".encode("ascii")).digest()


def derive(secret: bytes, *labels: str | int) -> int:
    """HMAC-SHA256(secret, labels joined by `/`), its first 53 bits. A text label may not hold a `/`."""
    message = "/".join(str(label) for label in labels).encode()
    return int.from_bytes(hmac.digest(secret, message, "sha256")[:8], "big") >> (64 - SEED_BITS)


def schedule_seed(secret: bytes) -> int:
    """For the order of combinations and the circular orders."""
    return derive(secret, "schedule")


def chance_seed(secret: bytes, block: int) -> int:
    """For dice and piles of a block; all its rotations meet the same."""
    return derive(secret, "chance", block)


def opening_seed(secret: bytes, block: int) -> int:
    """For the random opening of a block."""
    return derive(secret, "opening", block)


def bot_seed(secret: bytes, block: int, rotation: int, seat: int) -> int:
    """For the own randomness of the bot in one seat of one match."""
    return derive(secret, "bot", block, rotation, seat)
