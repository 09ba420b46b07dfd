"""What a leased match is played with: its chance, what a chosen seed means, and the runtimes of its bots."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from arena.hosting.runtimes.catalog import RuntimeCatalog
from arena.hosting.runtimes.runtime import RuntimeSettings, UnknownRuntimeError
from arena.tournament.creation import create_tournament
from arena.tournament.errors import RequestError
from arena.tournament.formats import random_seeds as seeds
from arena.tournament.formats.ladder import LadderFormat
from arena.tournament.formats.roundrobin import RoundRobin
from arena.tournament.match_specs import MatchSpecs
from arena.tournament.registration import join
from arena.tournament.run_progress import RunProgress
from arena.tournament.runner import run_tournament
from arena.tournament.seed_key import SeedKey
from engine import registry
from ratings.ledger.leasing import LeasedMatch, LeasedSeat
from ratings.ledger.ledger import LeaseRequest
from ratings.ledger.service_ledger import ServiceLedger
from ratings.read.match_list import MatchFilter, list_matches
from ratings.read.matches import match_detail, seen_runtimes
from ratings.store.models import PoolRecord, TournamentRecord
from tests.support.pythons import NAME, add_package, make_venv, settings_for
from tests.tournament.book import TERMS, Book
from tests.tournament.scripted_executor import ScriptedExecutor

SECRET = bytes(32)
OF_BLOCK = 7


def chance_seeds(*, remote: bool) -> list[int]:
    """The seeds of two blocks of two matches."""
    game = registry.get("rex_romanorum")
    pool = PoolRecord(
        id="p", game=game.name, rules_version=game.rules_version, seats=2, options={}, time_control="1s", cores=1,
        mu=25, sigma=8, beta=4, tau=0.1, draw_probability=0, created_at_us=0, remote=remote,
    )  # fmt: skip
    settings = {"start_limit_us": 1, "margin_us": 1, "opening_plies": 0}
    tournament = TournamentRecord(
        id="t", name="t", format="roundrobin", pool_id="p", secret=SECRET.hex(), seeded=False, settings=settings,
        rated=True, created_at_us=0,
    )  # fmt: skip
    specs = MatchSpecs(tournament, pool, cast(Any, None))
    return [specs.spec(leased(block, rotation)).chance_seed for block in range(2) for rotation in range(2)]


def leased(block: int, rotation: int) -> LeasedMatch:
    seats = tuple(LeasedSeat(name, "v" + name, "ada", is_remote=True) for name in ("ada/fox", "ada/owl"))
    return LeasedMatch("m", 1, 0, block, rotation, (), OF_BLOCK, seats)


def test_hosted_bots_play_all_matches_of_a_block_with_its_chance() -> None:
    assert chance_seeds(remote=False) == [OF_BLOCK] * 4


@pytest.mark.hostile("remember-the-chance-of-a-block")
def test_remote_bots_which_remember_what_they_saw_meet_the_same_chance_in_no_two_matches() -> None:
    found = chance_seeds(remote=True)
    assert len({*found, OF_BLOCK}) == 5
    assert found[3] == seeds.match_chance_seed(SECRET, 1, 1)


@pytest.mark.parametrize("place", [(0, 0), (1, 0), (0, 1)])
def test_the_chance_of_a_match_is_none_of_a_blocks(place: tuple[int, int]) -> None:
    assert seeds.match_chance_seed(SECRET, *place) not in {seeds.chance_seed(SECRET, block) for block in range(20)}


def plan(book: Book, settings: RuntimeSettings, *names: str) -> TournamentRecord:
    programs = replace(book.programs, runtimes=RuntimeCatalog(settings))
    form = RoundRobin(TERMS.seats, 1)
    return create_tournament(book.database, programs, TERMS, form, bots=names, choose_name=lambda _: "robin")


async def play(book: Book, tournament: TournamentRecord, settings: RuntimeSettings, *, most: int | None = None) -> None:
    """Play in the runtimes as they are now, until so many matches are recorded."""
    programs = replace(book.programs, runtimes=RuntimeCatalog(settings))
    stop = asyncio.Event()

    def look(progress: RunProgress) -> None:
        if most is not None and progress.finished >= most:
            stop.set()

    async with ScriptedExecutor() as executor:
        running = asyncio.create_task(
            run_tournament(book.database, tournament.id, executor, programs, on_progress=look)
        )
        stopping = asyncio.create_task(stop.wait())
        await asyncio.wait({running, stopping}, return_when=asyncio.FIRST_COMPLETED)
        if stop.is_set():
            running.cancel()
        stopping.cancel()
        await asyncio.gather(running, stopping, return_exceptions=True)
        if most is None:
            running.result()


async def test_matches_before_and_after_a_change_of_the_runtime_have_two_hashes(book: Book, tmp_path: Path) -> None:
    venv = make_venv(tmp_path / "venv", "fakenet==1.2")
    settings = settings_for(venv)
    for name in ("eva", "fay", "gil"):
        book.add_bot(name, runtime=NAME)
    tournament = plan(book, settings, "eva", "fay", "gil", "ann")
    await play(book, tournament, settings, most=1)
    old = RuntimeCatalog(settings).get(NAME).hash
    add_package(venv, "fakenet", "1.3")
    await play(book, tournament, settings)
    new = RuntimeCatalog(settings).get(NAME).hash
    own = RuntimeCatalog().get("arena").hash

    rows = list_matches(book.database, MatchFilter(tournament.id), limit=None, newest_first=False).items
    details = [match_detail(book.database, row.match.id) for row in rows]
    hashes = [{seat.bot: seat.seat.runtime for seat in detail.seats} for detail in details]
    assert {runtime for match in hashes for bot, runtime in match.items() if bot == "ann"} == {own}
    assert {runtime for match in hashes for bot, runtime in match.items() if bot != "ann"} == {old, new}
    assert all(len({runtime for bot, runtime in match.items() if bot != "ann"}) == 1 for match in hashes)

    noted = {row.hash: row for row in seen_runtimes(book.database)}
    assert set(noted) == {old, new, own}
    assert noted[old].contents["packages"] == {"fakenet": "1.2"}
    assert noted[new].contents["packages"] == {"fakenet": "1.3"}
    assert (noted[new].name, noted[new].kind) == (NAME, "python")


async def test_a_bot_whose_runtime_is_not_defined_here_cannot_be_entered(book: Book) -> None:
    book.add_bot("eva", runtime=NAME)
    with pytest.raises(UnknownRuntimeError, match="runtime is 'python-ml', and this arena knows 'arena', 'bundled'"):
        plan(book, RuntimeSettings(), "eva", "ann", "bob")


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
