"""A token of one owner gives nothing of another's, call by call; a new call cannot be forgotten.

Ann and ben have bots that met in matches, some of which are over; eve, who asks, has a bot that met nobody.
"""

import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from arena.app.policy import Viewer
from arena.model.errors import ClientError, ForbiddenError, HiddenError, UnknownError
from arena.model.tournament_requests import ChallengeRequest, TournamentRequest
from arena.rpc.method_table import PACKAGE
from arena.rpc.remote_arena import RemoteArena
from arena.service.server.access import ACCESS
from arena.v1 import bot_pb2
from ratings.ledger.ledger import Ledger
from ratings.ledger.service_ledger import ServiceLedger
from ratings.store.database import open_database
from ratings.values.states import MatchState, Scope
from tests.app.world import SECRET, World, make_world, mark, marks_of, text_of
from tests.ratings import book
from tests.support.owners import RunningServer, running_server

OVER = {0, 1, 2}
"""The block of ann's fox and ben's owl is over, and the first match of the next, of the owl, but not its second."""


@dataclass(frozen=True)
class Found:
    """What ann and ben have, and eve names."""

    shown: str
    """A match of ann's and ben's that everybody may see."""
    hidden: str
    """A match of ben's that is over, but whose chance is still to be played."""
    running: str
    """The match with the same chance that is played now."""
    tournament: str
    """One that ann asked for."""
    admission: str
    upload: str
    token: str
    """The name of a token of ann's."""


@dataclass(frozen=True)
class Asker:
    """Eve."""

    arena: RemoteArena
    found: Found


Call = Callable[[RemoteArena, Found], Any]


def unrated(*bots: str) -> TournamentRequest:
    return TournamentRequest(
        format="round-robin", game="rex_romanorum", seats=2, bots=bots, time="50ms", start_limit="10s", rated=False
    )


def challenge(bot: str, *opponents: str) -> ChallengeRequest:
    return ChallengeRequest(
        bot=bot, opponents=opponents, game="rex_romanorum", seats=2, blocks=1, time="50ms", start_limit="10s"
    )


def send(arena: RemoteArena, upload: str) -> Any:
    return arena.line.upload(iter([bot_pb2.UploadRequest(upload=upload, turn=1)]))


REFUSED: dict[str, list[tuple[Call, type[ClientError]]]] = {
    "RemoveBot": [(lambda arena, _: arena.bots.remove_bot("ann/fox"), ForbiddenError)],
    "RenameBot": [(lambda arena, _: arena.bots.rename_bot("ann/fox", "elk"), ForbiddenError)],
    "SetDisabled": [(lambda arena, _: arena.bots.set_disabled("ann/fox", True), ForbiddenError)],
    "PromoteVersion": [(lambda arena, _: arena.bots.promote_version("ann/fox"), ForbiddenError)],
    "WithdrawVersion": [(lambda arena, _: arena.bots.withdraw_version("ann/fox"), ForbiddenError)],
    "RollBack": [(lambda arena, _: arena.bots.roll_back("ann/fox"), ForbiddenError)],
    "ListEvents": [(lambda arena, _: arena.bots.list_events("ann/fox"), ForbiddenError)],
    "GetBuildLog": [(lambda arena, _: arena.bots.get_build_log("ann/fox"), ForbiddenError)],
    "GetAdmission": [
        (lambda arena, _: arena.admissions.get_admission("ann/fox"), ForbiddenError),
        (lambda arena, found: arena.admissions.get_admission(found.admission), ForbiddenError),
    ],
    "RequestAdmission": [(lambda arena, _: arena.admissions.request_admission("ann/fox"), ForbiddenError)],
    "WatchAdmission": [
        (lambda arena, _: next(arena.admissions.watch_admission("ann/fox")), ForbiddenError),
        (lambda arena, found: next(arena.admissions.watch_admission(found.admission)), ForbiddenError),
    ],
    "GetOperation": [
        (lambda arena, found: arena.operations.get_operation(f"admissions/{found.admission}"), ForbiddenError)
    ],
    "WatchOperation": [
        (lambda arena, found: next(arena.operations.watch_operation(f"admissions/{found.admission}")), ForbiddenError)
    ],
    "Upload": [(lambda arena, found: send(arena, found.upload), UnknownError)],
    "SubmitVersion": [(lambda arena, found: arena.submissions.submit_version(found.upload, "0" * 64), UnknownError)],
    "GetLogs": [
        (lambda arena, found: arena.matches.get_logs(found.shown), ForbiddenError),
        (lambda arena, found: arena.matches.get_logs(found.shown, 0), ForbiddenError),
        (lambda arena, found: arena.matches.get_logs(found.hidden), HiddenError),
    ],
    "WatchLogs": [
        (lambda arena, found: next(arena.matches.watch_logs(found.shown, 0)), ForbiddenError),
        (lambda arena, found: next(arena.matches.watch_logs(found.running, 0)), ForbiddenError),
        (lambda arena, found: next(arena.matches.watch_logs(found.hidden, 0)), HiddenError),
    ],
    "WatchMatch": [
        (lambda arena, found: next(arena.matches.watch_match(found.running)), HiddenError),
        (lambda arena, found: next(arena.matches.watch_match(found.hidden)), HiddenError),
    ],
    "GetReplay": [
        (lambda arena, found: arena.replays.get_replay(found.hidden), HiddenError),
        (lambda arena, found: arena.replays.get_replay(found.running), UnknownError),
    ],
    "GetUsage": [(lambda arena, _: arena.account.get_usage("ann"), ForbiddenError)],
    "GetTimes": [(lambda arena, found: arena.matches.get_times(found.hidden), HiddenError)],
    "VerifyMatch": [(lambda arena, found: arena.replays.verify_match(found.hidden), HiddenError)],
    "CreateTournament": [
        (lambda arena, _: arena.tournaments.create_tournament(unrated("ann/fox", "ben/owl")), ForbiddenError)
    ],
    "ForecastTournament": [
        (lambda arena, _: arena.forecasts.forecast_tournament(unrated("ann/fox", "ben/owl")), ForbiddenError)
    ],
    "ChallengeBot": [
        (lambda arena, _: arena.tournaments.challenge_bot(challenge("ann/fox", "ben/owl")), ForbiddenError),
    ],
    "CancelTournament": [
        (lambda arena, found: arena.tournaments.cancel_tournament(found.tournament), ForbiddenError),
        (lambda arena, _: arena.tournaments.cancel_tournament("rex"), ForbiddenError),
    ],
    "JoinTournament": [
        (lambda arena, _: arena.tournaments.join_tournament("rex", "ann/fox"), ForbiddenError),
        (lambda arena, found: arena.tournaments.join_tournament(found.tournament, "eve/elk"), ForbiddenError),
    ],
    "RevokeOwnToken": [(lambda arena, found: arena.account.revoke_own_token(found.token), UnknownError)],
    "WithdrawBot": [
        (lambda arena, _: arena.tournaments.withdraw_bot("rex", "ann/fox"), ForbiddenError),
        (lambda arena, found: arena.tournaments.withdraw_bot(found.tournament, "ben/owl"), ForbiddenError),
    ],
}
"""The calls that name something of an owner, each with the ways in which eve tries, and what she is answered."""

WITHHOLDING: dict[str, Call] = {
    "GetMatch": lambda arena, found: [arena.matches.get_match(id_) for id_ in (found.shown, found.hidden)],
    "ListMatches": lambda arena, _: arena.matches.list_matches("rex"),
    "GetReplay": lambda arena, found: arena.replays.get_replay(found.shown),
    "DownloadReplays": lambda arena, _: [list(arena.replays.download_replays(bot)) for bot in ("ann/fox", "ben/owl")],
    "ListAdmissions": lambda arena, _: arena.admissions.list_admissions(),
    "ListNotices": lambda arena, _: arena.account.list_notices(),
    "ListOwnTokens": lambda arena, _: arena.account.list_own_tokens(),
    "ListAnnulments": lambda arena, _: arena.annulments.list_annulments(),
    "GetBot": lambda arena, _: arena.bots.get_bot("ann/fox"),
    "ListVersions": lambda arena, _: arena.bots.list_versions("ann/fox"),
}
"""The calls that answer everybody, but not with all: no evidence, log, note or notice of another, no hidden play."""

PUBLIC = frozenset(
    {
        "GetIdentity", "ListBots", "FindVersion", "ListRuntimes", "ListLadders", "GetLadder", "ListSeasons",
        "GetSeasonTable", "ListLeaderboards", "GetCrosstable", "ListHistory", "ListOpponents", "ListSeats",
        "ListLengths", "GetOfficialTable", "GetOverallTable", "ListTournaments", "GetTournament", "GetProgress",
        "WatchTournament", "ListStandings", "ListLeakChecks", "ListPairings", "ListConfidence",
    }
)  # fmt: skip
"""The calls that show everybody the same; `tests/app/test_policy.py` looks that it is nothing hidden."""
CREATING = frozenset({"BeginUpload", "NewOwnToken"})
"""The calls that make something new, which belongs to the caller."""


@pytest.fixture(scope="module")
def eve(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asker]:
    """Eve's connection to a service with the bots, matches, admissions and uploads of others."""
    directory = tmp_path_factory.mktemp("world")
    open_database(directory / "empty.db").close()
    with (
        make_world(directory / "empty.db", directory, OVER, game="rex_romanorum") as world,
        tempfile.TemporaryDirectory(prefix="kma") as run,
        running_server(Path(run), database=directory / "arena.db") as server,
        server.arena(server.token("eve", Scope.COMPETITOR)) as arena,
    ):
        yield Asker(arena, fill(world, server))


def fill(world: World, server: RunningServer) -> Found:
    """Add what ann and ben have besides matches, and eve's bot."""
    database, organiser = world.database, world.asked_by(Viewer())
    matches = {row.position - 1: row for row in organiser.matches.list_matches("rex", limit=None).items}
    assert (matches[2].state, matches[3].state) == (MatchState.FINISHED, MatchState.PLANNED)
    versions = [organiser.bots.find_version(bot).version_id for bot in ("ann/fox", "ben/owl")]
    ledger = ServiceLedger(database)
    ledger.add_notice(world.owner("ann").owner_id, "a test", f"{SECRET} for ann")
    Ledger(database).add_version(
        bot="elk", owner="eve", content_hash="elk1", manifest=organiser.bots.get_bot("cat").newest.manifest
    )
    trial = book.create(database, versions, 2, name="trial", format="ladder", rated=False)
    with server.arena(server.token("ann", Scope.COMPETITOR)) as ann:
        upload = ann.submissions.begin_upload("0" * 64, 100).upload
        token = ann.account.new_own_token(f"{SECRET} token").summary.id
    admission = ledger.request_admission(versions[0]).id
    return Found(matches[0].id, matches[2].id, matches[3].id, trial, admission, upload, token)


@pytest.mark.hostile("ask-for-what-is-anothers")
def test_what_belongs_to_another_owner_is_refused(eve: Asker) -> None:
    for name, calls in REFUSED.items():
        for call, expected in calls:
            with pytest.raises(ClientError) as caught:
                call(eve.arena, eve.found)
            assert type(caught.value) is expected, (name, caught.value)


@pytest.mark.parametrize("name", WITHHOLDING)
def test_what_is_shown_of_another_owner_holds_nothing_that_is_his_alone(eve: Asker, name: str) -> None:
    shown = text_of(WITHHOLDING[name](eve.arena, eve.found))
    assert "proof of" not in shown
    assert "log of" not in shown
    assert SECRET not in shown
    assert not [text for text in (*marks_of(2), *marks_of(3)) if text in shown]
    if name == "GetReplay":
        assert mark(0) in shown, "the play itself is everybody's to see"


def test_the_replays_of_another_owners_bot_come_without_evidence_and_without_hidden_matches(eve: Asker) -> None:
    replays = list(eve.arena.replays.download_replays("ben/owl"))
    assert [replay.is_whole for replay in replays] == [False, False]
    assert eve.found.hidden not in {replay.match_id for replay in replays}


def test_lists_of_what_is_private_hold_only_ones_own(eve: Asker) -> None:
    assert eve.arena.admissions.list_admissions().items == ()
    assert eve.arena.account.list_notices().items == ()


def test_the_plain_name_of_another_owners_bot_means_nothing(eve: Asker) -> None:
    with pytest.raises(UnknownError):
        eve.arena.bots.get_bot("fox")


def test_every_call_that_a_competitor_may_make_is_looked_at_here() -> None:
    calls = {
        path.rpartition("/")[2]
        for path, scopes in ACCESS.items()
        if path.startswith(f"/{PACKAGE}.") and Scope.COMPETITOR in scopes
    }
    kinds = [set(REFUSED) | set(WITHHOLDING), set(PUBLIC), set(CREATING)]
    assert set.union(*kinds) == calls
    assert sum(map(len, kinds)) == len(calls), "a call is of one kind"
