import hashlib
import hmac

from hypothesis import given, settings
from hypothesis import strategies as st

from arena.tournament.formats import seeds

SECRET = bytes(range(32))
places = st.integers(0, 10**6)


@settings(max_examples=30)
@given(places, places, st.integers(0, 4))
def test_every_seed_fits_a_double(block: int, rotation: int, seat: int) -> None:
    drawn = (
        seeds.schedule_seed(SECRET),
        seeds.chance_seed(SECRET, block),
        seeds.opening_seed(SECRET, block),
        seeds.bot_seed(SECRET, block, rotation, seat),
    )
    assert all(0 <= seed < 2**53 for seed in drawn)
    assert len(set(drawn)) == len(drawn)


@settings(max_examples=30)
@given(st.lists(st.tuples(places, st.integers(0, 4), st.integers(0, 4)), min_size=2, unique=True))
def test_every_place_has_a_seed_of_its_own(keys: list[tuple[int, int, int]]) -> None:
    assert len({seeds.bot_seed(SECRET, *key) for key in keys}) == len(keys)


def test_a_seed_is_the_first_53_bits_of_an_hmac() -> None:
    digest = hmac.new(SECRET, b"bot/12/1/0", hashlib.sha256).hexdigest()
    assert seeds.bot_seed(SECRET, 12, 1, 0) == int(digest, 16) >> (256 - 53)


def test_another_secret_gives_other_seeds() -> None:
    assert seeds.chance_seed(SECRET, 0) != seeds.chance_seed(bytes(32), 0)


def test_secrets_of_the_operating_system_differ() -> None:
    assert seeds.new_secret() != seeds.new_secret()


def test_the_secret_of_a_seed_is_always_the_same() -> None:
    assert seeds.secret_from_seed(7) == seeds.secret_from_seed(7) != seeds.secret_from_seed(8)
