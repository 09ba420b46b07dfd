"""What a client is told of an error: codes and reasons that never change, and nothing that is nobody's business."""

from __future__ import annotations

import errno

import grpc
import pytest

from arena.hosting.archive.format import ArchiveReason, BotArchiveError
from arena.hosting.builds import BuildMissingError
from arena.hosting.uploads.errors import (
    UploadDamagedError,
    UploadInvalidError,
    UploadOffsetError,
    UploadReason,
    UploadRefusedError,
    UploadSupersededError,
    missing,
    space,
)
from arena.i18n.catalogue import translate
from arena.model.errors import FellBehindError
from arena.model.ladders import LadderRequest
from arena.model.planning import TournamentRequest
from arena.service.activities.ladders import _FILES_GONE
from arena.service.server.errors import status_of
from arena.service.supervision import NO_SANDBOX
from arena.trial.trials import TrialCheck, failed, finding_json
from engine.errors import InvariantError, PositionError
from engine.text import Text
from ratings.errors import DatabaseAccessError, DatabaseBusyError, RatingsError
from ratings.ledger.ladder_ledger import LadderLedger
from ratings.ledger.ledger import Ledger
from ratings.ledger.service import ServiceLedger
from ratings.store.models import VersionRecord
from ratings.values.states import Scope
from tests.support.owners import RunningServer
from tests.support.sources import told_errors

WIRE = {
    "ABILITY": "INVALID_ARGUMENT",
    "ACCOUNT": "INVALID_ARGUMENT",
    "ADMISSION": "FAILED_PRECONDITION",
    "AMBIGUOUS": "INVALID_ARGUMENT",
    "BOT": "FAILED_PRECONDITION",
    "BOT_DIRECTORY": "INVALID_ARGUMENT",
    "BOT_FILES": "INVALID_ARGUMENT",
    "DAMAGED": "DATA_LOSS",
    "DATABASE_BUSY": "UNAVAILABLE",
    "DATABASE_LOST": "UNAVAILABLE",
    "DISK_FULL": "RESOURCE_EXHAUSTED",
    "FAILED": "FAILED_PRECONDITION",
    "FELL_BEHIND": "ABORTED",
    "FORBIDDEN": "PERMISSION_DENIED",
    "GAME_UNKNOWN": "NOT_FOUND",
    "HIDDEN": "FAILED_PRECONDITION",
    "INVITATION": "PERMISSION_DENIED",
    "LADDER": "FAILED_PRECONDITION",
    "LIMIT": "RESOURCE_EXHAUSTED",
    "NOTATION": "INVALID_ARGUMENT",
    "NOT_FOUND": "NOT_FOUND",
    "OPTIONS": "INVALID_ARGUMENT",
    "PAGE": "INVALID_ARGUMENT",
    "PLAN": "FAILED_PRECONDITION",
    "REFUSED": "INVALID_ARGUMENT",
    "REQUEST": "INVALID_ARGUMENT",
    "RUNTIME": "INVALID_ARGUMENT",
    "SCHEDULE": "INVALID_ARGUMENT",
    "SEATS": "INVALID_ARGUMENT",
    "STATISTICS": "FAILED_PRECONDITION",
    "STORE": "UNAVAILABLE",
    "TIME_CONTROL": "INVALID_ARGUMENT",
    "TOKEN": "UNAUTHENTICATED",
    "TOURNAMENT": "FAILED_PRECONDITION",
}
"""The code of every reason that a class carries, as clients of older versions know them."""
WHY = Text("It cannot be started here: {why}.", why="no /bin/sh")


def told(error: BaseException) -> tuple[str, str] | None:
    """The code and the reason that a client is told."""
    status = status_of(error)
    codes = {code.value[0]: code.name for code in grpc.StatusCode}
    return None if status is None else (codes[status.code], status.reason)


def test_codes_and_reasons_never_change() -> None:
    assert {told(error) for error in told_errors()} == {(code, reason) for reason, code in WIRE.items()}


@pytest.mark.parametrize(
    ("error", "code", "reason"),
    [
        (missing(), "NOT_FOUND", "UPLOAD_MISSING"),
        (UploadOffsetError("", 7), "FAILED_PRECONDITION", "UPLOAD_OFFSET"),
        (UploadSupersededError(UploadReason.SUPERSEDED, ""), "ABORTED", "UPLOAD_SUPERSEDED"),
        (UploadRefusedError(UploadReason.TOO_LARGE, ""), "RESOURCE_EXHAUSTED", "UPLOAD_TOO_LARGE"),
        (UploadInvalidError(UploadReason.INVALID, ""), "INVALID_ARGUMENT", "UPLOAD_INVALID"),
        (UploadInvalidError(UploadReason.OVERRUN, ""), "INVALID_ARGUMENT", "UPLOAD_OVERRUN"),
        (space(""), "RESOURCE_EXHAUSTED", "UPLOAD_DISK_FULL"),
        (UploadDamagedError(UploadReason.DAMAGED, ""), "DATA_LOSS", "UPLOAD_DAMAGED"),
        (BotArchiveError(ArchiveReason.TRUNCATED, ""), "INVALID_ARGUMENT", "ARCHIVE_TRUNCATED"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_error_with_a_reason_of_its_own_is_told_by_that(error: Exception, code: str, reason: str) -> None:
    assert told(error) == (code, reason)


def test_what_programs_want_to_know_besides_comes_along() -> None:
    for error, facts in ((UploadOffsetError("", 7), {"offset": "7"}), (FellBehindError(3), {"sequence": "3"})):
        status = status_of(error)
        assert status is not None
        assert status.metadata == facts


@pytest.mark.parametrize("error", [RatingsError, DatabaseAccessError, PositionError, InvariantError, KeyError, OSError])
def test_an_error_without_a_reason_is_a_fault_of_the_service(error: type[Exception]) -> None:
    assert status_of(error("/home/of/the/organiser")) is None


@pytest.mark.parametrize("error", [DatabaseBusyError, BuildMissingError])
def test_where_something_lies_is_nobodys_business(error: type[Exception]) -> None:
    status = status_of(error("/home/of/the/organiser"))
    assert status is not None
    assert "/home" not in status.message


def test_a_full_disk_is_told_as_one_also_where_something_else_noticed_it() -> None:
    lost = BuildMissingError("x")
    lost.__cause__ = OSError(errno.ENOSPC, "no space")
    for error in (OSError(errno.EDQUOT, "quota"), lost):
        assert told(error) == ("RESOURCE_EXHAUSTED", "DISK_FULL")


def add_fox(server: RunningServer) -> VersionRecord:
    ledger = Ledger(server.database)
    version, _ = ledger.add_version(bot="fox", owner="ada", content_hash="f" * 64, manifest={"games": ["*"]})
    return version


def german(text: str | None) -> str:
    return translate(text or "", "de")


def test_an_admission_is_told_with_its_findings_and_what_became_of_the_bot(server: RunningServer) -> None:
    token, ledger = server.token("ada", Scope.COMPETITOR), ServiceLedger(server.database)
    version = add_fox(server)
    ledger.request_admission(version.id)
    assert ledger.take_admission() is not None
    ledger.requeue_admissions(None, NO_SANDBOX)
    with server.arena(token) as ada:
        assert german(ada.admissions.get_admission("ada/fox").summary).startswith("Er wartet: ")
        taken = ledger.take_admission()
        assert taken is not None
        finding = finding_json(failed(TrialCheck.START, WHY))
        summary = Text("Refused: {why}", why=WHY)
        ledger.finish_admission(taken.admission.id, is_admitted=False, summary=summary, findings=[finding])
        admission = ada.admissions.get_admission("ada/fox")
        (found,), told = admission.findings, "Er lässt sich hier nicht starten: no /bin/sh."
        assert (found.sentence, german(found.sentence)) == (WHY, told)
        assert german(admission.summary) == f"Abgelehnt: {told}"
        operation = ada.operations.get_operation(f"admissions/{admission.id}")
        assert (german(operation.sentence), german(operation.error)) == (f"Abgelehnt: {told}",) * 2
        refused, submitted = ada.bots.list_events("ada/fox").items
        assert (german(refused.message), submitted.message) == (f"Abgelehnt: {told}", "")


def test_a_ladder_is_told_with_who_is_absent_and_why_it_was_closed(server: RunningServer) -> None:
    token, version = server.token("ada", Scope.COMPETITOR), add_fox(server)
    ledger = ServiceLedger(server.database)
    ledger.request_admission(version.id)
    taken = ledger.take_admission()
    assert taken is not None
    ledger.finish_admission(taken.admission.id, is_admitted=True, summary="Admitted.", findings=[])
    endless = TournamentRequest(
        format="ladder", game="foreign_king", seats=2, bots=(), time="50ms", start_limit="10s", settings={"waves": 0}
    )
    with server.arena() as organiser, server.arena(token) as ada:
        organiser.seasons.open_ladder(LadderRequest("king", endless))
        assert german(organiser.ladders.get_ladder("king").note).startswith("wartet auf Bots: ")
        ledger.note_absences({version.id: _FILES_GONE})
        (absent,) = ada.ladders.get_ladder("king").absent
        assert (absent.why, german(absent.why)[:10]) == (_FILES_GONE, "die Arena ")
        (notice,) = ada.account.list_notices().items
        assert german(notice.sentence).endswith(german(_FILES_GONE))
        why = Text(
            "{game} has rules version {version} now, and this ladder was played by version {old}",
            game="foreign_king",
            version="2",
            old="1",
        )
        LadderLedger(server.database).close_ladder("king", why)
        closed = ada.ladders.get_ladder("king").closed_because
        assert closed == why
        assert german(closed).startswith("foreign_king hat jetzt ")
