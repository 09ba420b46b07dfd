"""Bots and versions are added and admitted, and the events of a bot tell which version is active."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ratings.errors import AccountError, AdmissionError, AmbiguousError, BotError, LimitError, NotFoundError
from ratings.ledger.ledger import Ledger
from ratings.ledger.service_ledger import ServiceLedger
from ratings.read.active_versions import active_version, bot_events
from ratings.read.admissions import admission_row, list_admissions, newest_admission, unadmitted
from ratings.read.bots import all_versions, bot_detail, find_version, list_bots, list_versions
from ratings.store.bot_events import Lineage, lineage_of
from ratings.store.database import Database
from ratings.values.states import AdmissionState, BotEventKind
from tests.ratings import book


def add(database: Database, bot: str, content: str, owner: str | None = None) -> tuple[int, bool]:
    manifest = {"memory_mb": 512}
    version, is_new = Ledger(database).add_version(bot=bot, owner=owner, content_hash=content, manifest=manifest)
    return version.number, is_new


def test_versions_of_a_bot_are_numbered_from_one(database: Database) -> None:
    assert [add(database, "ada", content) for content in ("aa", "bb")] == [(1, True), (2, True)]
    assert add(database, "bob", "aa") == (1, True)


def test_the_same_content_is_the_same_version_also_an_older_one(database: Database) -> None:
    add(database, "ada", "aa")
    add(database, "ada", "bb")
    assert add(database, "ada", "aa") == (1, False)


def test_a_manifest_comes_back_as_it_was(database: Database) -> None:
    add(database, "ada", "aa")
    assert find_version(database, "ada").version.manifest == {"memory_mb": 512}


def test_two_owners_and_the_operator_may_use_one_name(database: Database) -> None:
    assert add(database, "ada", "aa", owner="lovelace") == (1, True)
    assert add(database, "ada", "bb", owner="lovelace") == (2, True)
    assert add(database, "ada", "aa", owner="babbage") == add(database, "ada", "aa") == (1, True)
    assert [(row.bot.name, row.owner, row.versions) for row in list_bots(database).items] == [
        ("ada", None, 1),
        ("babbage/ada", "babbage", 1),
        ("lovelace/ada", "lovelace", 2),
    ]


@pytest.mark.parametrize("name", ["", "lovelace/ada", "Ada", "-ada", "a" * 41, "ada\n", "ädä"])
def test_a_name_that_could_be_another_bots_or_break_a_line_is_refused(database: Database, name: str) -> None:
    with pytest.raises(AccountError, match="is no name for a bot; use 1 to 40 of a-z, 0-9, - and _"):
        add(database, name, "aa")


def test_a_name_means_the_newest_version_and_a_prefix_a_certain_one(database: Database) -> None:
    for content in ("abc1", "abd2", "ee"):
        add(database, "ada", content)
    assert find_version(database, "ada").version.number == 3
    assert find_version(database, "ada@abc").version.number == 1
    assert find_version(database, "ada@ABD").version.number == 2
    assert find_version(database, "ada@c1").version.number == 1
    with pytest.raises(AmbiguousError, match=r"have 'ab': version 2 \(abd2\), version 1 \(abc1\); give"):
        find_version(database, "ada@ab")
    for nothing in ("ada@ff", "ada@"):
        with pytest.raises(NotFoundError, match="its newest are: abc1, abd2, ee"):
            find_version(database, nothing)
    assert [version.number for version in list_versions(database, "ada").items] == [3, 2, 1]
    assert (bot_detail(database, "ada").newest.number, bot_detail(database, "ada").versions) == (3, 3)
    assert [(row.bot.name, row.version.number) for row in all_versions(database)] == [("ada", n) for n in (1, 2, 3)]


def test_an_unknown_bot_is_named_with_those_there_are(database: Database) -> None:
    with pytest.raises(NotFoundError, match="there are none yet; add one with: arena bot add"):
        bot_detail(database, "eve")
    add(database, "ada", "aa")
    with pytest.raises(NotFoundError, match="no bot 'eve'; there are: ada"):
        find_version(database, "eve")


def test_a_bot_can_be_disabled_and_enabled_and_twice_is_once(database: Database) -> None:
    add(database, "ada", "aa")
    ledger = Ledger(database)
    first = ledger.set_disabled("ada", disabled=True).disabled_at_us
    assert first is not None
    assert ledger.set_disabled("ada", disabled=True).disabled_at_us == first
    assert ledger.set_disabled("ada", disabled=False).disabled_at_us is None


PROMOTED, ROLLED_BACK, WITHDRAWN = BotEventKind.PROMOTED, BotEventKind.ROLLED_BACK, BotEventKind.WITHDRAWN
ENDS = (WITHDRAWN, BotEventKind.REFUSED, BotEventKind.ANNULLED)
EVENTS = st.lists(st.tuples(st.sampled_from(BotEventKind), st.sampled_from([None, "a", "b", "c", "d"])))


def submit(database: Database, content: str, owner: str | None = "ada", bot: str = "fox", message: str = "") -> str:
    version, is_new = Ledger(database).add_version(
        bot=bot, owner=owner, content_hash=content, manifest={}, message=message, actor=owner or "operator"
    )
    assert is_new
    return version.id


def admit(service: ServiceLedger, version: str, *, promotes: bool = True) -> None:
    admission = service.request_admission(version)
    taken = service.take_admission()
    assert taken is not None
    assert taken.admission.id == admission.id
    assert service.finish_admission(
        admission.id, is_admitted=True, summary="all is well", findings=[], promotes=promotes
    )


def active(database: Database, bot: str = "ada/fox") -> int | None:
    version = active_version(database, bot)
    return version.number if version else None


@settings(max_examples=40)
@given(EVENTS)
def test_what_is_active_was_promoted_and_not_ended_since(events: list[tuple[BotEventKind, str | None]]) -> None:
    lineage = lineage_of(events)
    for version in (lineage.active, *lineage.before):
        if version is not None:
            about = [kind for kind, named in events if named == version]
            assert PROMOTED in about
            latest = next(kind for kind in reversed(about) if kind in (PROMOTED, *ENDS))
            assert latest is PROMOTED


@settings(max_examples=40)
@given(EVENTS)
def test_no_version_is_in_a_lineage_twice(events: list[tuple[BotEventKind, str | None]]) -> None:
    lineage = lineage_of(events)
    everything = [*lineage.before, lineage.active]
    assert len(set(everything)) == len(everything)


@settings(max_examples=40)
@given(EVENTS, st.sampled_from(["x", "y"]))
def test_going_back_after_a_promotion_restores_what_was_before(
    events: list[tuple[BotEventKind, str | None]], version: str
) -> None:
    before = lineage_of(events)
    if before.active is not None:
        assert before.after(PROMOTED, version).after(ROLLED_BACK, before.active) == before


@settings(max_examples=40)
@given(EVENTS)
def test_a_version_can_only_be_gone_back_to_that_was_active(events: list[tuple[BotEventKind, str | None]]) -> None:
    lineage = lineage_of(events)
    assert lineage.after(ROLLED_BACK, "never") == lineage


def test_going_back_twice_goes_back_two_steps() -> None:
    events: list[tuple[BotEventKind, str | None]] = [(PROMOTED, name) for name in "abc"]
    assert lineage_of([*events, (ROLLED_BACK, "b"), (ROLLED_BACK, "a")]) == Lineage("a")


def test_the_newest_version_of_the_operators_own_bot_is_active_and_events_say_so(database: Database) -> None:
    submit(database, "aa", owner=None)
    submit(database, "bb", owner=None, message="plays faster")
    assert active(database, "fox") == 2
    rows = bot_events(database, "fox").items
    assert [(row.event.kind.value, row.number, row.event.actor, row.event.message) for row in rows] == [
        ("promoted", 2, "operator", "the newest version of the operator's own bots is active"),
        ("submitted", 2, "operator", "plays faster"),
        ("promoted", 1, "operator", "the newest version of the operator's own bots is active"),
        ("submitted", 1, "operator", ""),
    ]
    assert Ledger(database).add_version(bot="fox", content_hash="aa", manifest={})[1] is False
    assert active(database, "fox") == 2


def test_an_owners_version_is_active_when_it_is_admitted(database: Database, service: ServiceLedger) -> None:
    version = submit(database, "aa")
    assert active(database) is None
    with pytest.raises(BotError, match="version 1 of 'ada/fox' was not admitted; see why: arena bot show ada/fox"):
        service.promote(version, actor="ada")
    admit(service, version)
    assert active(database) == 1
    kinds = [row.event.kind.value for row in bot_events(database, "ada/fox").items]
    assert kinds == ["promoted", "admitted", "submitted"]


@pytest.mark.both_databases
def test_an_admitted_version_waits_for_its_promotion_if_it_must_show_its_strength(
    database: Database, service: ServiceLedger
) -> None:
    version = submit(database, "aa")
    admit(service, version, promotes=False)
    service.note_not_promoted(version, actor="arena", message="undecided after 200 matches", notice=("a", "b"))
    assert active(database) is None
    assert bot_events(database, "ada/fox", limit=1).items[0].event.message == "undecided after 200 matches"
    service.promote(version, actor="ada", message="I want it all the same")
    assert active(database) == 1


def test_a_rollback_goes_back_to_what_was_active_before(database: Database, service: ServiceLedger) -> None:
    for content in ("aa", "bb", "cc"):
        admit(service, submit(database, content))
    assert service.rollback("ada/fox", actor="ada", message="worse").number == 2
    assert service.rollback("ada/fox", actor="ada").number == 1
    assert active(database) == 1
    with pytest.raises(BotError, match=r"no version of 'ada/fox' was active before; promote one: arena bot promote"):
        service.rollback("ada/fox", actor="ada")


def test_a_withdrawn_version_is_never_active_again(database: Database, service: ServiceLedger) -> None:
    first, second = submit(database, "aa"), submit(database, "bb")
    admit(service, first)
    admit(service, second)
    for _ in range(2):
        service.withdraw_version(second, actor="ada", message="it loses on time")
    assert active(database) is None
    assert [row.event.kind for row in bot_events(database, "ada/fox").items].count(WITHDRAWN) == 1
    assert service.rollback("ada/fox", actor="ada").id == first
    with pytest.raises(BotError, match="version 2 of 'ada/fox' was withdrawn; submit a new version"):
        service.promote(second, actor="ada")


def test_promoting_the_active_version_changes_nothing(database: Database, service: ServiceLedger) -> None:
    version = submit(database, "aa")
    admit(service, version)
    before = book.rows(database, "bot_event", "active_version")
    service.promote(version, actor="ada")
    assert book.rows(database, "bot_event", "active_version") == before


def test_a_version_replaces_the_active_one_unless_its_author_says_another(
    database: Database, service: ServiceLedger
) -> None:
    admit(service, submit(database, "aa"))
    ledger = Ledger(database)
    second, _ = ledger.add_version(bot="fox", owner="ada", content_hash="bb", manifest={}, message="  bolder\n")
    third, _ = ledger.add_version(bot="fox", owner="ada", content_hash="cc", manifest={}, predecessor=2)
    assert (second.predecessor, second.message, third.predecessor) == (1, "  bolder\n", 2)
    for wrong in (0, 4):
        with pytest.raises(BotError, match=f"bot 'ada/fox' has no version {wrong}; see: arena bot show ada/fox"):
            ledger.add_version(bot="fox", owner="ada", content_hash="dd", manifest={}, predecessor=wrong)


def test_an_owner_has_so_many_versions_and_no_more(database: Database) -> None:
    ledger = Ledger(database)
    submit(database, "aa")
    submit(database, "aa", bot="owl")
    submit(database, "aa", owner="bob")
    with pytest.raises(LimitError, match="owner 'ada' has 2 versions, and 2 is the limit; ask the organiser"):
        ledger.add_version(bot="cat", owner="ada", content_hash="bb", manifest={}, most_versions=2)
    assert not ledger.add_version(bot="fox", owner="ada", content_hash="aa", manifest={}, most_versions=2)[1]
    assert book.count(database, "bot") == 3


def test_a_disabled_owner_adds_nothing(database: Database, service: ServiceLedger) -> None:
    submit(database, "aa")
    service.set_owner_disabled("ada", disabled=True)
    with pytest.raises(AccountError, match="owner 'ada' is disabled"):
        submit(database, "bb")


def test_disabling_and_enabling_stand_in_the_log(database: Database) -> None:
    submit(database, "aa", owner=None)
    ledger = Ledger(database)
    ledger.set_disabled("fox", disabled=True, message="it floods")
    ledger.set_disabled("fox", disabled=True)
    ledger.set_disabled("fox", disabled=False, actor="ada")
    told = [(row.event.kind.value, row.event.actor, row.event.message) for row in bot_events(database, "fox").items]
    assert told[:2] == [("enabled", "ada", ""), ("disabled", "operator", "it floods")]
    assert len(told) == 4


@pytest.mark.both_databases
def test_the_log_is_paged_the_newest_first(database: Database) -> None:
    for number in range(5):
        submit(database, f"a{number}")
    first = bot_events(database, "ada/fox", limit=2)
    second = bot_events(database, "ada/fox", limit=2, after=first.next)
    assert [row.number for row in (*first.items, *second.items)] == [5, 4, 3, 2]


Act = Callable[[ServiceLedger], object]


UNKNOWN: list[tuple[Act, str]] = [
    (lambda led: led.promote("x", actor="ada"), "no version x; see: arena bot list"),
    (lambda led: led.withdraw_version("x", actor="ada"), "no version x; see: arena bot list"),
    (
        lambda led: led.note_not_promoted("x", actor="ada", message="", notice=("a", "b")),
        "no version x; see: arena bot list",
    ),
    (lambda led: led.rollback("x", actor="ada"), "no bot 'x'"),
    (lambda led: led.request_admission("x"), "no version x; see: arena bot list"),
    (lambda led: led.add_finding("x", {}), "no admission x; see: arena bot log"),
]


def test_what_does_not_exist_is_named(service: ServiceLedger) -> None:
    for act, message in UNKNOWN:
        with pytest.raises(NotFoundError, match=message):
            act(service)


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
