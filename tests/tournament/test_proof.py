"""The signed log of a tournament: written with what it tells of, and what it proves of every format."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from arena.app.proof_checks import check_proof
from arena.match.spec import MatchSpec
from arena.match.worker_report import MatchReport
from arena.model.proofs import ProofPart, ProofReport
from arena.tournament import proof as closing
from arena.tournament.creation import draft_tournament, plan_ladder
from arena.tournament.formats.adaptive import Adaptive
from arena.tournament.formats.compare import Compare, Design
from arena.tournament.formats.format import Format
from arena.tournament.formats.knockout import Knockout
from arena.tournament.formats.ladder import LadderFormat
from arena.tournament.formats.roundrobin import Gauntlet, RoundRobin, Sample
from arena.tournament.formats.swiss import Swiss
from arena.tournament.match_specs import MatchSpecs
from arena.tournament.planner import FormatPlanner, planner_of
from arena.tournament.registration import join, withdraw
from arena.tournament.runner import run_tournament
from arena.tournament.seed_key import SeedKey
from ratings.errors import DatabaseFullError
from ratings.ledger import proof
from ratings.ledger.ladders import LadderPlan
from ratings.ledger.ledger import LeaseRequest, Ledger
from ratings.ledger.season_ledger import LadderLedger
from ratings.ledger.service_ledger import ServiceLedger
from ratings.read.exporting import export_tournament
from ratings.read.match_list import MatchFilter, list_matches
from ratings.read.proofs import commitment_of
from ratings.read.tournaments import find_tournament, tournament_row
from ratings.store.models import TournamentRecord
from ratings.values.pools import RatingMethod
from tests.cli.table import TableExecutor
from tests.cli.table import play as play_match
from tests.support import exports
from tests.tournament.book import BOTS, TERMS, TWO, Book
from tests.tournament.scripted_executor import report_of

FORMATS: list[Format] = [
    RoundRobin(3, 1),
    Sample(2, 2),
    Gauntlet(2, 1),
    Knockout(2, lives=2, best_of=3),
    LadderFormat(3, 4),
    Swiss(3, 2),
    Adaptive(2, "winner known at 80%", 12),
    Compare(2, 6, design=Design.ALONE),
]


class Scripted(TableExecutor):
    """Plays in this process, and calls what is given before each match."""

    def __init__(self, before: Any = None) -> None:
        super().__init__(2)
        self._before = before
        self.played = 0

    async def run(self, spec: MatchSpec) -> MatchReport:
        self.played += 1
        if self._before is not None:
            self._before(self.played)
        return play_match(spec)


async def finish(book: Book, tournament: TournamentRecord, executor: Scripted) -> None:
    """Play what is left."""
    await run_tournament(book.database, tournament.id, executor, book.programs)


def exported(book: Book, tournament: TournamentRecord) -> Path:
    """The file of a tournament that is over, as the command writes it."""
    closing.close_proof(book.database, tournament.id, book.store.root)
    target = book.path.with_name(f"{tournament.name}.arena")
    target.unlink(missing_ok=True)
    export_tournament(book.database, find_tournament(book.database, tournament.id), target)
    return target


def checked(book: Book, tournament: TournamentRecord, **more: Any) -> ProofReport:
    return check_proof(exported(book, tournament), **more)


def failures(report: ProofReport) -> dict[ProofPart, tuple[str, ...]]:
    """What is wrong, by part; what was not checked because of it is left out."""
    return {check.part: check.problems for check in report.checks if check.problems}


def log_of(book: Book, tournament: TournamentRecord) -> list[dict[str, Any]]:
    return exports.log_of(exports.records_of(exported(book, tournament)))


@pytest.mark.needs("openskill")
async def test_a_ladder_that_is_rated_by_openskill_proves_itself_and_commits_to_its_method(book: Book) -> None:
    terms = replace(TERMS, rating_method=RatingMethod.OPENSKILL)
    tournament = book.plan_format(LadderFormat(3, 4), terms)
    await finish(book, tournament, Scripted())
    assert failures(checked(book, tournament)) == {}
    assert log_of(book, tournament)[0]["pool"]["rating_method"] == "openskill"
    usual = book.plan_format(LadderFormat(3, 4), TERMS, name="usual")
    await finish(book, usual, Scripted())
    assert "rating_method" not in log_of(book, usual)[0]["pool"]  # as it was before there were others


async def test_a_file_from_before_there_were_rating_methods_proves_itself(book: Book) -> None:
    tournament = book.plan_format(LadderFormat(3, 4))
    await finish(book, tournament, Scripted())
    records = exports.records_of(exported(book, tournament))
    assert [pool.pop("rating_method") for pool in exports.rows(records, "pool")] == ["trueskill"]
    old = exports.write(book.path.with_name("old.arena"), records)
    assert check_proof(old).holds
    for pool in exports.rows(records, "pool"):
        pool["rating_method"] = "openskill"
    assert ProofPart.COMMITMENT in failures(check_proof(exports.write(book.path.with_name("other.arena"), records)))


async def test_the_season_of_a_ladder_is_committed_by_its_first_run_and_proved_when_it_is_closed(book: Book) -> None:
    ledger = LadderLedger(book.database)
    opened = ledger.open_ladder(LadderPlan("spring", plan_ladder(TWO, LadderFormat(2, 0))), planner_of)
    assert commitment_of(book.database, opened.tournament.id) is None

    def close(played: int) -> None:
        if played == 13:
            ledger.close_ladder("spring", "the class is over")

    await finish(book, opened.tournament, Scripted(close))
    assert failures(checked(book, opened.tournament)) == {}
    assert log_of(book, opened.tournament)[-1]["void"]


@pytest.mark.parametrize("form", FORMATS, ids=lambda form: form.traits.name)
async def test_a_tournament_of_every_format_proves_itself(book: Book, form: Format) -> None:
    bots = BOTS[:2] if isinstance(form, Compare) else BOTS
    tournament = book.plan_format(form, bots=bots)
    await finish(book, tournament, Scripted())
    report = checked(book, tournament)
    assert failures(report) == {}
    assert report.holds
    counts = {check.part: check.count for check in report.checks}
    row = tournament_row(book.database, tournament.id)
    assert counts[ProofPart.COMPLETE] == counts[ProofPart.REPLAYS] == row.progress.total > 0
    assert counts[ProofPart.TABLE] == len(bots)


async def test_a_single_match_proves_itself(book: Book) -> None:
    tournament = book.plan_match(replace(TERMS, rated=False), ["ann", "bob", "ann"])
    await finish(book, tournament, Scripted())
    assert checked(book, tournament).holds


async def test_what_is_fixed_before_the_first_match_is_committed_when_it_is_planned(book: Book) -> None:
    tournament = book.plan()
    entry = commitment_of(book.database, tournament.id)
    assert entry is not None
    said = json.loads(entry.text)
    assert said["secret"] == proof.secret_digest(tournament.secret)
    assert tournament.secret not in entry.text
    assert [name for name, _ in said["entrants"]] == list(BOTS)
    assert said["waves"][0]["matches"] == 24
    assert "seed" not in said["plays"]["settings"]
    assert said["public_key"] == SeedKey.beside(book.store.root).signing_key().public_key
    await finish(book, tournament, Scripted())
    report = checked(book, tournament, commitment=proof.digest_of(entry.text))
    assert report.holds
    assert report.commitment == proof.digest_of(entry.text)
    assert failures(checked(book, tournament, commitment="00" * 32)).keys() == {ProofPart.COMMITMENT}


async def test_entrants_who_come_and_go_and_matches_that_were_void_are_proved(book: Book) -> None:
    tournament = book.plan_format(LadderFormat(2, 6), bots=BOTS[:3])

    def come_and_go(played: int) -> None:
        if played == 3:
            join(book.database, book.programs, tournament, "dee")
        if played == 7:
            withdraw(book.database, tournament, "ann")

    await finish(book, tournament, Scripted(come_and_go))
    assert failures(checked(book, tournament)) == {}
    assert len(log_of(book, tournament)[0]["entrants"]) == 3


async def test_a_tournament_that_was_cancelled_is_proved_as_far_as_it_was_played(book: Book) -> None:
    tournament = book.plan_format(Swiss(2, 3))
    await finish(book, tournament, Scripted(lambda played: played == 3 and book.ledger.cancel(tournament.id)))
    report = checked(book, tournament)
    assert failures(report) == {}
    assert log_of(book, tournament)[-1]["void"]


def annul(book: Book, tournament: TournamentRecord, place: int) -> None:
    """Annul the match at a place of the schedule."""
    rows = list_matches(book.database, MatchFilter(tournament.id), limit=None, newest_first=False).items
    ServiceLedger(book.database).annul_match(rows[place].match.id, why="the machine slept", actor="operator")


async def test_what_is_annulled_counts_for_the_plans_from_then_on(book: Book) -> None:
    tournament = book.plan_format(LadderFormat(2, 6))

    def annul_first(played: int) -> None:
        if played == 5:
            annul(book, tournament, 0)

    await finish(book, tournament, Scripted(annul_first))
    assert failures(checked(book, tournament)) == {}
    assert log_of(book, tournament)[-1]["annulled"] == [0]


async def test_what_is_annulled_after_the_end_is_signed_with_the_table_that_follows(book: Book) -> None:
    tournament = book.plan_format(LadderFormat(2, 6))
    await finish(book, tournament, Scripted())
    before = log_of(book, tournament)
    annul(book, tournament, -1)
    assert len(log_of(book, tournament)) == len(before) + 1
    assert failures(checked(book, tournament)) == {}


async def test_a_tournament_that_was_begun_before_there_were_logs_says_that_it_carries_no_proof(book: Book) -> None:
    tournament = book.plan()
    await finish(book, tournament, Scripted())
    records = exports.records_of(source := exported(book, tournament))
    report = check_proof(exports.write(source, exports.drop(records, lambda kind, _: kind == "proof_entry")))
    assert not report.holds
    assert "carries no proof" in failures(report)[ProofPart.LOG][0]
    assert report.commitment == ""


def test_a_planned_tournament_without_a_log_is_committed_by_its_first_run_and_a_begun_one_never(book: Book) -> None:
    signer = SeedKey.beside(book.store.root).signing_key()
    fresh, begun = (unsigned(book, name) for name in ("fresh", "begun"))
    request = LeaseRequest("w1", 1, 10**12)
    Ledger(book.database).start_run(begun.id, request)
    for tournament in (fresh, begun):
        Ledger(book.database, signer=signer).start_run(tournament.id, request)
    assert commitment_of(book.database, fresh.id) is not None
    assert commitment_of(book.database, begun.id) is None


def unsigned(book: Book, name: str) -> TournamentRecord:
    form = RoundRobin(3, 1)
    draft = draft_tournament(book.database, book.programs, TERMS, form, bots=BOTS)
    return book.ledger.create_tournament(draft.plan, FormatPlanner(form, draft.draw), choose_name=lambda _: name)


def test_a_result_and_its_signature_are_written_together_or_not_at_all(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    tournament = book.plan()
    ledger = Ledger(book.database, signer=SeedKey.beside(book.store.root).signing_key())
    leased = ledger.start_run(tournament.id, LeaseRequest("w1", 2, 10**12)).leased

    def fail(*_: object) -> None:
        raise DatabaseFullError("the disk is full")

    specs = planned_specs(book, tournament, leased)
    with monkeypatch.context() as patch:
        patch.setattr("ratings.ledger.recording.add_results", fail)
        with pytest.raises(DatabaseFullError):
            ledger.settle(tournament.id, results=[report_of(specs[0])])
    assert tournament_row(book.database, tournament.id).progress.finished == 0
    ledger.settle(
        tournament.id, results=[report_of(spec) for spec in specs], planner=planner_of(*both(book, tournament))
    )
    ledger.settle(tournament.id, results=[report_of(specs[0])])  # once more, as after an answer that got lost
    ledger.cancel(tournament.id)
    signed = [entry["results"] for entry in log_of(book, tournament) if entry["kind"] == proof.RESULTS]
    assert [[one["position"] for one in results] for results in signed] == [[0, 1]]


def both(book: Book, tournament: TournamentRecord) -> tuple[Any, Any]:
    row = tournament_row(book.database, tournament.id)
    return row.tournament, row.pool


def planned_specs(book: Book, tournament: TournamentRecord, leased: Any) -> list[MatchSpec]:
    specs = MatchSpecs(*both(book, tournament), book.programs)
    return [specs.spec(match) for match in leased]
