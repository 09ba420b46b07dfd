"""Every seed of a tournament, derived from one secret by HMAC-SHA256, so that none tells another. No I/O but urandom.

A bot's seed depends on its place (block, rotation, seat), never on the random id of a match: the same secret gives
the same seeds in every database and in every attempt.
"""

from __future__ import annotations

import hashlib
import hmac
import os

SEED_BITS = 53  # what a double holds exactly, and so JavaScript
MAX_SEED = (1 << SEED_BITS) - 1
SECRET_BYTES = 32


def new_secret() -> bytes:
    """Return a secret from the operating system; nobody can compute its seeds before it is published."""
    return os.urandom(SECRET_BYTES)


def secret_from_seed(seed: int) -> bytes:
    """Return the secret of a reproducible tournament: whoever knows or guesses the seed knows every die in it."""
    return hashlib.sha256(f"kingmaker-arena tournament seed {seed}".encode("ascii")).digest()


def derive(secret: bytes, *labels: str | int) -> int:
    """Return the first 53 bits of HMAC-SHA256(secret, labels joined by `/`). A text label must not hold a `/`."""
    message = "/".join(str(label) for label in labels).encode()
    return int.from_bytes(hmac.digest(secret, message, "sha256")[:8], "big") >> (64 - SEED_BITS)


def schedule_seed(secret: bytes) -> int:
    """Return the seed of the schedule: the order of combinations, circular orders, lots."""
    return derive(secret, "schedule")


def chance_seed(secret: bytes, block: int) -> int:
    """Return the seed of the dice and piles of a block, which all its rotations share."""
    return derive(secret, "chance", block)


def match_chance_seed(secret: bytes, block: int, rotation: int) -> int:
    """Return the seed of the dice and piles of one match among remote bots, which is no other's.

    Nobody can make a remote bot forget what it saw, nor keep it from playing all matches of a block at once: it would
    know from one what is hidden in the others.
    """
    return derive(secret, "chance", block, rotation)


def opening_seed(secret: bytes, block: int) -> int:
    """Return the seed of the random opening of a block."""
    return derive(secret, "opening", block)


def bot_seed(secret: bytes, block: int, rotation: int, seat: int) -> int:
    """Return the seed that the bot in one seat of one match gets for its own randomness."""
    return derive(secret, "bot", block, rotation, seat)
