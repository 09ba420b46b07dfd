"""Messages that no honest bot sends: random requests and mutations of a corpus. Pure, and repeatable by the seed."""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from arena.v1 import play_pb2

ODD_NUMBERS = (0, 1, -1, 2, 63, 64, 65, 127, 128, 2**31 - 1, -(2**31))
ODD_TEXTS = ("", "m1", "\0", "*", "x" * 1001, "ключ", "\U0001f451" * 300, "../../etc/passwd", "%s%n", "m1\n")
LARGE = 300_000


def act(match_id: str, ply: int, *actions: int, note: str = "") -> bytes:
    message = play_pb2.Act(match_id=match_id, ply=ply, actions=actions, note=note)
    return play_pb2.PlayRequest(act=message).SerializeToString()


def join(*games: str, major: int = 1) -> bytes:
    message = play_pb2.Join(name="bot", protocol_major=major, games=games)
    return play_pb2.PlayRequest(join=message).SerializeToString()


def corpus(match_id: str, ply: int) -> list[bytes]:
    """One of each that a bot may send, well formed."""
    resign = play_pb2.PlayRequest(resign=play_pb2.Resign(match_id=match_id))
    leave = play_pb2.PlayRequest(leave=play_pb2.Leave())
    return [
        act(match_id, ply, 0),
        act(match_id, ply, 2, 2, 2, note="because"),
        act(match_id, ply, *range(64)),
        join("*"),
        join("foreign_king", "checkers", major=2),
        resign.SerializeToString(),
        leave.SerializeToString(),
        b"",
    ]


def random_request(rng: Random, match_id: str, ply: int) -> bytes:
    """A well-formed request with odd values."""
    names = (match_id, *ODD_TEXTS)
    kind = rng.randrange(4)
    if kind == 0:
        return join(*(rng.choice(names) for _ in range(rng.randrange(5))), major=rng.choice((0, 1, 2, 2**31 - 1)))
    if kind == 1:
        resign = play_pb2.Resign(match_id=rng.choice(names))
        return play_pb2.PlayRequest(resign=resign).SerializeToString()
    actions = [rng.choice((*ODD_NUMBERS, *range(4))) for _ in range(rng.choice((0, 1, 1, 2, 64, 65, 3000)))]
    plies = (ply, ply, abs(rng.choice(ODD_NUMBERS)) % 2**31)
    return act(rng.choice((match_id, *names)), rng.choice(plies), *actions, note=rng.choice(ODD_TEXTS))


def _flip(rng: Random, data: bytearray) -> None:
    for _ in range(rng.randint(1, 4)):
        data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)


def _cut(rng: Random, data: bytearray) -> None:
    del data[rng.randrange(len(data)) :]


def _insert(rng: Random, data: bytearray) -> None:
    at = rng.randrange(len(data) + 1)
    data[at:at] = rng.randbytes(rng.choice((1, 2, 9, 200)))


def _repeat(rng: Random, data: bytearray) -> None:
    at = rng.randrange(len(data))
    data[at:at] = data[at : at + rng.randint(1, 40)] * rng.randint(1, 20)


def _lengthen(rng: Random, data: bytearray) -> None:
    """A length or number that promises far more than there is."""
    at = rng.randrange(len(data))
    data[at : at + 1] = b"\xff" * rng.randint(1, 10) + b"\x01"


def _nest(rng: Random, data: bytearray) -> None:
    """Groups in groups, the old way to exhaust a parser's stack."""
    data[:0] = b"\x0b" * rng.choice((1, 100, 10_000))


def _append_unknown(rng: Random, data: bytearray) -> None:
    data += bytes((rng.choice((0x7A, 0xFA)), 0x01)) + rng.randbytes(rng.randrange(30))


def _swell(rng: Random, data: bytearray) -> None:
    """Rarely, for it is slow: more than is allowed, or nearly."""
    if rng.random() < 0.02:
        data += bytes(rng.choice((LARGE // 2, LARGE)))


MUTATIONS: tuple[Callable[[Random, bytearray], None], ...] = (
    _flip,
    _cut,
    _insert,
    _repeat,
    _lengthen,
    _nest,
    _append_unknown,
    _swell,
)


def mutate(rng: Random, data: bytes) -> bytes:
    """One to three mutations of a message."""
    mutated = bytearray(data or b"\0")
    for _ in range(rng.randint(1, 3)):
        rng.choice(MUTATIONS)(rng, mutated)
        mutated = mutated or bytearray(b"\0")
    return bytes(mutated)


def draw_message(rng: Random, match_id: str, ply: int) -> bytes:
    """Random bytes, a random request, or a mutated one of the corpus."""
    kind = rng.randrange(8)
    if kind == 0:
        return rng.randbytes(rng.choice((1, 5, 40, 1000)))
    if kind in (1, 2):
        return random_request(rng, match_id, ply)
    if kind == 3:
        return rng.choice(corpus(match_id, ply))
    return mutate(rng, rng.choice(corpus(match_id, ply)))
