"""What a seed that a person chose means where a bot has an owner: nothing that this bot could guess."""

from dataclasses import replace
from pathlib import Path

import pytest

from arena.tournament.entrants import join
from arena.tournament.errors import RequestError
from arena.tournament.formats import random_seeds as seeds
from arena.tournament.formats.ladder import LadderFormat
from arena.tournament.seed_key import SeedKey
from ratings.ledger.leasing import LeasedMatch
from ratings.ledger.ledger import LeaseRequest
from ratings.ledger.service import ServiceLedger
from ratings.store.models import TournamentRecord
from tests.tournament.book import TERMS, Book

SEED = 42
ASKED = replace(TERMS, seed=SEED, seats=2)
PLAIN = seeds.secret_from_seed(SEED).hex()


def add_stranger(book: Book) -> str:
    ServiceLedger(book.database).add_owner("eve")
    book.admit(book.add_bot("spy", owner="eve"))
    return "eve/spy"


def key_beside(book: Book, asker: str = "") -> SeedKey:
    return SeedKey.beside(book.store.root, asker)


def leases(book: Book, tournament: TournamentRecord) -> tuple[LeasedMatch, ...]:
    return book.ledger.settle(tournament.id, request=LeaseRequest("test", 100, 2**50)).leased


@pytest.mark.hostile("find-the-seed-of-the-tournament")
def test_a_bot_with_an_owner_cannot_find_the_seed_from_what_it_is_given(book: Book) -> None:
    spy = add_stranger(book)
    terms = replace(ASKED, seed_key=key_beside(book))
    tournament = book.plan(terms, ["ann", spy])
    given = {
        seeds.bot_seed(bytes.fromhex(tournament.secret), block, rotation, seat)
        for block in range(2)
        for rotation in range(2)
        for seat in range(2)
    }
    guesses = {
        seeds.bot_seed(seeds.secret_from_seed(guess), block, rotation, seat)
        for guess in range(200)
        for block in range(2)
        for rotation in range(2)
        for seat in range(2)
    }
    assert not given & guesses, "trying small seeds gives it away"
    assert tournament.secret != PLAIN
    assert tournament.seeded


def test_a_seed_is_what_it_was_where_all_bots_are_the_organisers_own(book: Book) -> None:
    assert book.plan(replace(ASKED, seed_key=key_beside(book)), ["ann", "bob"]).secret == PLAIN
    assert not key_beside(book).path.exists(), "no key is made that nothing needs"


def test_the_same_seed_repeats_everything_under_the_same_key_and_the_secret_anywhere(book: Book) -> None:
    spy = add_stranger(book)
    terms = replace(ASKED, seed_key=key_beside(book))
    first, again = (book.plan_format(LadderFormat(2, 2), terms, ["ann", spy], name) for name in ("one", "two"))
    assert first.secret == again.secret
    other = replace(terms, seed_key=SeedKey(book.path.parent / "elsewhere.key"))
    assert book.plan_format(LadderFormat(2, 2), other, ["ann", spy], "three").secret != first.secret
    repeated = replace(other, seed=None, secret=bytes.fromhex(first.secret))
    elsewhere = book.plan_format(LadderFormat(2, 2), repeated, ["ann", spy], "four")
    assert (elsewhere.secret, elsewhere.seeded) == (first.secret, True)
    assert [one.chance_seed for one in leases(book, elsewhere)] == [one.chance_seed for one in leases(book, first)]


@pytest.mark.hostile("ask-for-seeds-that-tell-of-others")
def test_what_one_asks_for_says_nothing_of_what_another_gets(book: Book) -> None:
    spy = add_stranger(book)
    own = book.plan(replace(ASKED, seed_key=key_beside(book, "eve")), ["ann", spy])
    organisers = book.plan_format(LadderFormat(2), replace(ASKED, seed_key=key_beside(book)), ["ann", spy], "two")
    assert own.secret != organisers.secret, "who plays with seed 42 himself would know the organiser's dice"


def test_the_key_is_made_once_for_its_user_alone(tmp_path: Path) -> None:
    key = SeedKey(tmp_path / "arena.key")
    first = key.secret_of(SEED)
    assert key.path.stat().st_mode & 0o777 == 0o600
    assert SeedKey(key.path).secret_of(SEED) == first
    assert key.secret_of(SEED + 1) != first
    assert [path.name for path in tmp_path.iterdir()] == ["arena.key"], "nothing is left beside it"


@pytest.mark.host_fault("key-damaged")
@pytest.mark.parametrize("content", [b"", b"short", b"z" * 65])
def test_a_damaged_key_is_told_and_never_used(tmp_path: Path, content: bytes) -> None:
    place = tmp_path / "arena.key"
    place.write_bytes(content)
    with pytest.raises(RequestError, match=r"arena\.key.*remove it"):
        SeedKey(place).secret_of(SEED)


@pytest.mark.hostile("key-behind-a-link")
def test_a_key_is_never_read_through_a_link(tmp_path: Path) -> None:
    (tmp_path / "other").write_text("0" * 64 + "\n")
    (tmp_path / "arena.key").symlink_to("other")
    with pytest.raises(RequestError, match=r"arena\.key"):
        SeedKey(tmp_path / "arena.key").secret_of(SEED)


@pytest.mark.hostile("join-a-tournament-with-a-plain-seed")
def test_a_bot_with_an_owner_does_not_join_what_a_plain_seed_tells(book: Book) -> None:
    spy = add_stranger(book)
    tournament = book.plan_format(LadderFormat(2, 4), replace(ASKED, seed_key=key_beside(book)), ["ann", "bob"], "open")
    with pytest.raises(RequestError, match=r"seed 42.*leave the seed out"):
        join(book.database, book.programs, tournament, spy)
    assert join(book.database, book.programs, tournament, "cid")[0].number == 1


def test_seed_and_secret_exclude_each_other_and_a_secret_is_64_digits(book: Book) -> None:
    with pytest.raises(RequestError, match="seed and a secret"):
        book.plan(replace(ASKED, secret=b"x" * 32), ["ann", "bob"])
    with pytest.raises(RequestError, match="64 hexadecimal digits"):
        book.plan(replace(ASKED, seed=None, secret=b"x" * 31), ["ann", "bob"])
