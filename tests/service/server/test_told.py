"""What is stored of bots and ladders is told to whoever asks the service in the language that he reads."""

from __future__ import annotations

from arena.i18n.translation import translate
from arena.model.ladders import LadderRequest
from arena.model.planning import TournamentRequest
from arena.service.activities.ladders import _FILES_GONE
from arena.service.admission import NO_SANDBOX
from arena.trial.values import TrialCheck, failed, finding_json
from engine.text import Text
from ratings.ledger.ladder_ledger import LadderLedger
from ratings.ledger.ledger import Ledger
from ratings.ledger.service import ServiceLedger
from ratings.store.models import VersionRecord
from ratings.values.states import Scope
from tests.support.owners import RunningServer

WHY = Text("service.cannot_started_here", "It cannot be started here: {why}.", why="no /bin/sh")


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
        summary = Text("service.refused", "Refused: {why}", why=WHY)
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
            "ratings.rules_version_now_ladder_played",
            "{game} has rules version {version} now, and this ladder was played by version {old}",
            game="foreign_king",
            version="2",
            old="1",
        )
        LadderLedger(server.database).close_ladder("king", why)
        closed = ada.ladders.get_ladder("king").closed_because
        assert closed == why
        assert german(closed).startswith("foreign_king hat jetzt ")
