"""The life of an admission: asked for, looked at, decided."""

from __future__ import annotations

import pytest

from ratings.errors import AdmissionError
from ratings.ledger.ledger import Ledger
from ratings.ledger.service import ServiceLedger
from ratings.read.active_versions import active_version
from ratings.read.admissions import (
    admission_row,
    list_admissions,
    newest_admission,
    unadmitted,
)
from ratings.store.database import Database
from ratings.values.states import AdmissionState
from tests.ratings import book

QUEUED, RUNNING = AdmissionState.QUEUED, AdmissionState.RUNNING


def hand_in(database: Database, bot: str, content: str = "aa", owner: str | None = "ada") -> str:
    return Ledger(database).add_version(bot=bot, owner=owner, content_hash=content, manifest={})[0].id


def take(service: ServiceLedger) -> str:
    taken = service.take_admission()
    return "" if taken is None else taken.bot


def state(database: Database, version: str) -> AdmissionState:
    newest = newest_admission(database, version)
    assert newest is not None
    return newest.state


@pytest.mark.both_databases
def test_an_admission_is_queued_taken_and_decided(database: Database, service: ServiceLedger) -> None:
    version = hand_in(database, "fox")
    admission = service.request_admission(version)
    taken = service.take_admission()
    assert taken is not None
    assert (taken.admission.id, taken.version.id, taken.owner) == (admission.id, version, "ada")
    assert service.add_finding(admission.id, {"check": "protocol", "is_ok": True})
    assert admission_row(database, admission.id).admission.checks == [{"check": "protocol", "is_ok": True}]
    findings = [{"check": "protocol", "is_ok": True}, {"check": "memory", "is_ok": True}]
    assert service.finish_admission(admission.id, is_admitted=True, summary="all is well", findings=findings)
    row = admission_row(database, admission.id)
    assert (row.admission.state, row.admission.checks, row.bot) == (AdmissionState.ADMITTED, findings, "ada/fox")
    assert None not in (row.admission.started_at_us, row.admission.ended_at_us)
    assert unadmitted(database, [version]) == []
    assert take(service) == ""


def test_asking_twice_gives_the_same_admission_until_it_is_decided(database: Database, service: ServiceLedger) -> None:
    version = hand_in(database, "fox")
    first = service.request_admission(version)
    assert service.request_admission(version).id == first.id
    take(service)
    assert service.request_admission(version).id == first.id
    service.finish_admission(first.id, is_admitted=False, summary="it floods", findings=[])
    assert service.request_admission(version).id != first.id


def test_the_last_decision_counts(database: Database, service: ServiceLedger) -> None:
    version = hand_in(database, "fox")
    for is_good in (True, False, True):
        admission = service.request_admission(version)
        take(service)
        service.finish_admission(admission.id, is_admitted=is_good, summary="", findings=[])
        assert (unadmitted(database, [version]) == []) is is_good
        assert (active_version(database, "ada/fox") is not None) is is_good


def test_a_newer_version_takes_the_place_of_one_that_waits(database: Database, service: ServiceLedger) -> None:
    old, new = hand_in(database, "fox"), hand_in(database, "fox", "bb")
    service.request_admission(old)
    service.request_admission(new)
    replaced = newest_admission(database, old)
    assert replaced is not None
    assert (replaced.state, replaced.summary) == (AdmissionState.WITHDRAWN, "version 2 took its place")
    assert state(database, new) is QUEUED


def test_one_that_is_looked_at_is_finished_and_does_not_replace_a_newer_one(
    database: Database, service: ServiceLedger
) -> None:
    old, new = hand_in(database, "fox"), hand_in(database, "fox", "bb")
    first = service.request_admission(old)
    take(service)
    second = service.request_admission(new)
    take(service)
    for admission in (second, first):
        assert service.finish_admission(admission.id, is_admitted=True, summary="", findings=[])
    active = active_version(database, "ada/fox")
    assert active is not None
    assert active.id == new


def test_owners_take_turns(database: Database, service: ServiceLedger) -> None:
    for bot in ("fox", "owl", "cat"):
        service.request_admission(hand_in(database, bot))
    service.request_admission(hand_in(database, "elk", owner="bob"))
    service.request_admission(hand_in(database, "yak", owner=None))
    service.request_admission(hand_in(database, "gnu", owner=None))
    order = [take(service) for _ in range(7)]
    assert order == ["ada/fox", "bob/elk", "yak", "ada/owl", "gnu", "ada/cat", ""]


@pytest.mark.both_databases
def test_after_a_crash_what_was_looked_at_waits_again(database: Database, service: ServiceLedger) -> None:
    versions = [hand_in(database, "fox"), hand_in(database, "elk", owner="bob")]
    for version in versions:
        service.request_admission(version)
    admission = service.take_admission()
    assert admission is not None
    service.add_finding(admission.admission.id, {"check": "protocol"})
    assert service.requeue_admissions() == 1
    assert [state(database, version) for version in versions] == [QUEUED, QUEUED]
    assert admission_row(database, admission.admission.id).admission.checks == []
    assert take(service) == "ada/fox"
    assert service.requeue_admissions(admission.admission.id) == 1
    assert service.requeue_admissions("another") == 0


def test_what_is_over_is_not_changed(database: Database, service: ServiceLedger) -> None:
    version = hand_in(database, "fox")
    admission = service.request_admission(version)
    assert not service.add_finding(admission.id, {})
    assert not service.finish_admission(admission.id, is_admitted=True, summary="", findings=[])
    service.withdraw_version(version, actor="ada")
    before = book.rows(database, "admission", "bot_event")
    assert not service.finish_admission(admission.id, is_admitted=True, summary="", findings=[])
    assert book.rows(database, "admission", "bot_event") == before


@pytest.mark.parametrize("is_running", [False, True])
def test_withdrawing_a_version_ends_its_admission(database: Database, service: ServiceLedger, is_running: bool) -> None:
    version = hand_in(database, "fox")
    admission = service.request_admission(version)
    if is_running:
        take(service)
    service.withdraw_version(version, actor="ada")
    assert state(database, version) is AdmissionState.WITHDRAWN
    assert not service.finish_admission(admission.id, is_admitted=True, summary="", findings=[])
    with pytest.raises(AdmissionError, match="version 1 of 'ada/fox' cannot be admitted: it was withdrawn"):
        service.request_admission(version)


def test_what_is_disabled_waits_and_asks_for_nothing(database: Database, service: ServiceLedger) -> None:
    version = hand_in(database, "fox")
    service.request_admission(version)
    Ledger(database).set_disabled("ada/fox", disabled=True)
    assert take(service) == ""
    with pytest.raises(AdmissionError, match="the bot is disabled; let it in again: arena bot disable ada/fox --undo"):
        service.request_admission(version)
    Ledger(database).set_disabled("ada/fox", disabled=False)
    service.set_owner_disabled("ada", disabled=True)
    assert take(service) == ""
    with pytest.raises(AdmissionError, match="its owner is disabled; ask the organiser"):
        service.request_admission(version)
    service.set_owner_disabled("ada", disabled=False)
    assert take(service) == "ada/fox"


def test_only_owners_versions_need_an_admission(database: Database, service: ServiceLedger) -> None:
    own, hers = hand_in(database, "fox", owner=None), hand_in(database, "owl")
    assert unadmitted(database, [own, hers]) == [hers]
    service.request_admission(hers)
    assert unadmitted(database, [own, hers]) == [hers]


@pytest.mark.both_databases
def test_admissions_are_listed_the_newest_first_by_owner_and_state(database: Database, service: ServiceLedger) -> None:
    names = [("fox", "ada"), ("owl", "ada"), ("elk", "bob")]
    for bot, owner in names:
        service.request_admission(hand_in(database, bot, owner=owner))
    assert take(service) == "ada/fox"
    first = list_admissions(database, limit=2)
    assert [row.bot for row in first.items] == ["bob/elk", "ada/owl"]
    assert [row.bot for row in list_admissions(database, limit=2, after=first.next).items] == ["ada/fox"]
    assert [row.bot for row in list_admissions(database, state=RUNNING).items] == ["ada/fox"]
    owner_id = Ledger(database).add_version(bot="elk", owner="bob", content_hash="bb", manifest={})[0].bot_id
    assert owner_id
    bobs = {row.owner for row in list_admissions(database).items if row.bot.startswith("bob")}
    assert bobs == {"bob"}
