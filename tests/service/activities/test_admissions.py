"""Admissions: who keeps to the rules is admitted and plays on the ladder, who does not is told why."""

from __future__ import annotations

import asyncio
import shutil
import threading
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from arena.hosting.builder.build import build_version
from arena.hosting.builds import BuildMissingError
from arena.hosting.runtimes.catalog import RuntimeCatalog
from arena.hosting.sandbox import limits
from arena.hosting.sandbox.probe import Probe
from arena.hosting.sandbox.stored_programs import StoredPrograms
from arena.match.worker_report import MatchReport
from arena.service.activities import admissions
from arena.service.activities.admissions import AdmissionRunner
from arena.service.activities.context import build_entrants
from arena.service.admission_trials import AdmissionOutcome, AdmissionRequest, AdmissionVerdict
from arena.service.logs import get_logger
from arena.service.metrics import Metrics
from arena.service.task_supervision import NO_SANDBOX, Health, Supervisor
from arena.tournament.creation import create_match
from arena.tournament.runner import MatchExecutor
from arena.trial.trials import TrialCheck, failed, passed
from ratings.ledger.bots import NewVersion
from ratings.ledger.service_ledger import ServiceLedger
from ratings.read.admissions import admission_row
from ratings.store.service import AdmissionRecord, AdmissionRow
from ratings.values.states import AdmissionState
from tests.service.activities.contexts import at_work, service_context
from tests.service.scheduler.executors import order
from tests.support.patience import PATIENCE_S, until
from tests.support.pythons import NAME, add_package, make_venv, settings_for
from tests.tournament.book import TERMS, Book
from tests.tournament.scripted_executor import ScriptedExecutor, StuckExecutor

ADMITTED = AdmissionVerdict(AdmissionOutcome.ADMITTED, (passed(TrialCheck.START, "It starts."),), "Admitted.")
REFUSED = AdmissionVerdict(
    AdmissionOutcome.REFUSED, (failed(TrialCheck.PLAY, "It plays no legal action."),), "Refused: it plays."
)
UNDECIDED = AdmissionVerdict(AdmissionOutcome.UNDECIDED, (), "It will be looked at again: the host lost three matches.")


@asynccontextmanager
async def runner(
    book: Book, executor: ScriptedExecutor, health: Health | None = None, metrics: Metrics | None = None
) -> AsyncIterator[None]:
    context = service_context(book, executor, health)
    async with at_work(context, AdmissionRunner(context, metrics or Metrics())):
        yield


def use(monkeypatch: pytest.MonkeyPatch, verdicts: Sequence[AdmissionVerdict], played: list[MatchReport]) -> None:
    """Have every admission play a match and end with the next of these verdicts."""
    left = list(verdicts)

    async def admit(
        request: AdmissionRequest, executor: MatchExecutor, report: Callable[..., None]
    ) -> AdmissionVerdict:
        verdict = left.pop(0)
        for finding in verdict.findings:
            report(finding)
        played.append(await executor.run(order(f"{request.admission_id}-1", request.bot.name, "random")))
        return verdict

    monkeypatch.setattr(admissions, "admit", admit)
    monkeypatch.setattr(admissions, "LOOK_EVERY_S", 0.01)


def ask(book: Book, bot: str) -> AdmissionRecord:
    version = book.add_bot(bot, code="new")
    return ServiceLedger(book.database).request_admission(version.id)


def state(book: Book, admission: AdmissionRecord) -> AdmissionState:
    return admission_row(book.database, admission.id).admission.state


@pytest.mark.parametrize(
    ("verdict", "expected"), [(ADMITTED, AdmissionState.ADMITTED), (REFUSED, AdmissionState.REFUSED)]
)
async def test_what_was_found_is_written_with_the_verdict(
    book: Book, monkeypatch: pytest.MonkeyPatch, verdict: AdmissionVerdict, expected: AdmissionState
) -> None:
    played: list[MatchReport] = []
    use(monkeypatch, [verdict], played)
    metrics = Metrics()
    async with runner(book, ScriptedExecutor(), metrics=metrics):
        asked = ask(book, "ann")
        await until(lambda: state(book, asked) is expected)
        await until(lambda: f'_count{{verdict="{expected.value}"}} 1' in metrics.render())
    row = admission_row(book.database, asked.id).admission
    assert row.summary == verdict.summary
    assert [check["sentence"] for check in row.checks] == [finding.sentence for finding in verdict.findings]
    assert len(played) == 1
    assert f'arena_admission_seconds_count{{verdict="{expected.value}"}} 1' in metrics.render()


@pytest.mark.host_fault("host-fails-an-admission")
async def test_what_the_host_failed_is_looked_at_again(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, [UNDECIDED, ADMITTED], [])
    health = Health()
    async with runner(book, ScriptedExecutor(slots=1), health):
        asked = ask(book, "ann")
        await until(lambda: "admission" in health.problems())
        await until(lambda: state(book, asked) is AdmissionState.ADMITTED)


@pytest.mark.host_fault("no-sandbox")
async def test_a_bot_of_an_owner_waits_for_a_sandbox_and_is_looked_at_when_there_is_one(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, [ADMITTED], [])
    works = asyncio.Event()
    monkeypatch.setattr(
        limits, "_probe", lambda level: Probe(level) if works.is_set() else Probe(level, (), "no bwrap", "install it")
    )
    stored = book.store.get(book.add_bot("ann").content_hash)
    made = ServiceLedger(book.database).submit_version(
        NewVersion("ann", stored.hash, stored.manifest.to_json(), owner="eve")
    )
    asked = made.admission
    assert asked is not None
    health = Health()
    async with runner(book, ScriptedExecutor(slots=1), health):
        await until(lambda: "no bwrap; install it" in health.problems().get("admission", ""))
        row = admission_row(book.database, asked.id).admission
        assert (row.state, row.summary) == (AdmissionState.QUEUED, NO_SANDBOX)
        works.set()
        await until(lambda: state(book, asked) is AdmissionState.ADMITTED)


async def test_what_is_under_way_when_the_service_ends_goes_back_into_the_queue(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(monkeypatch, [ADMITTED], [])
    executor = StuckExecutor()
    async with runner(book, executor):
        asked = ask(book, "ann")
        await until(lambda: bool(executor.specs))
        assert state(book, asked) is AdmissionState.RUNNING
        executor._waiting.clear()
    assert state(book, asked) is AdmissionState.QUEUED


async def test_what_is_taken_in_the_moment_in_which_the_service_ends_goes_back_into_the_queue(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken, released = threading.Event(), threading.Event()
    take = ServiceLedger.take_admission

    def take_slowly(ledger: ServiceLedger) -> AdmissionRow | None:
        found = take(ledger)
        taken.set()
        released.wait(PATIENCE_S)
        return found

    monkeypatch.setattr(ServiceLedger, "take_admission", take_slowly)
    asked = ask(book, "ann")
    looking = AdmissionRunner(service_context(book, ScriptedExecutor(slots=1)), Metrics())
    await looking.look()
    await until(taken.is_set)
    closing = asyncio.create_task(looking.close())
    for _ in range(10):
        await asyncio.sleep(0)  # whoever waits for it is cancelled by then
    released.set()
    await closing
    assert state(book, asked) is AdmissionState.QUEUED


async def test_several_are_looked_at_at_the_same_time(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    begun: list[str] = []
    both = asyncio.Event()

    async def admit(request: AdmissionRequest, *_: object) -> AdmissionVerdict:
        begun.append(request.bot.name)
        if len(begun) == 2:
            both.set()
        await both.wait()
        return ADMITTED

    monkeypatch.setattr(admissions, "admit", admit)
    asked = [ask(book, "ann"), ask(book, "bob")]
    async with runner(book, ScriptedExecutor(slots=2)):
        await until(lambda: all(state(book, one) is AdmissionState.ADMITTED for one in asked))


async def test_a_version_that_cannot_be_started_here_is_refused_with_the_reason(book: Book) -> None:
    directory = book.path.parent / "odd"
    directory.mkdir()
    (directory / "bot.toml").write_text(
        'schema = 1\nname = "odd"\ncommand = ["python", "main.py"]\nruntime = "cobol"\n', encoding="utf-8"
    )
    (directory / "main.py").write_text("", encoding="utf-8")
    stored = book.store.add(directory)
    version, _ = book.ledger.add_version(bot="odd", content_hash=stored.hash, manifest=stored.manifest.to_json())
    asked = ServiceLedger(book.database).request_admission(version.id)
    async with runner(book, ScriptedExecutor()):
        await until(lambda: state(book, asked) is AdmissionState.REFUSED)
    assert "cobol" in (admission_row(book.database, asked.id).admission.summary or "")


async def test_files_that_are_gone_are_the_hosts_fault(book: Book) -> None:
    asked = ask(book, "ann")
    for version in book.store.root.iterdir():
        shutil.rmtree(version)
    health = Health()
    async with runner(book, ScriptedExecutor(), health):
        await until(lambda: "admission" in health.problems())
    assert state(book, asked) is AdmissionState.QUEUED


async def test_a_version_that_is_withdrawn_meanwhile_stays_withdrawn(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    withdrawn, told = asyncio.Event(), asyncio.Event()

    async def admit(
        request: AdmissionRequest, executor: MatchExecutor, report: Callable[..., None]
    ) -> AdmissionVerdict:
        told.set()
        await withdrawn.wait()
        report(ADMITTED.findings[0])
        return ADMITTED

    monkeypatch.setattr(admissions, "admit", admit)
    health = Health()
    async with runner(book, ScriptedExecutor(slots=1), health):
        asked = ask(book, "ann")
        await told.wait()
        ServiceLedger(book.database).withdraw_version(asked.version_id, actor="ann")
        withdrawn.set()
        next_one = ask(book, "bob")
        await until(lambda: state(book, next_one) is AdmissionState.ADMITTED)
        assert health.problems() == {}
    assert state(book, asked) is AdmissionState.WITHDRAWN


async def test_a_version_is_built_before_it_is_looked_at(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    use(monkeypatch, [ADMITTED], [])
    version = book.add_bot("ann", build="open('made.py', 'w').write('x = 1')")
    asked = ServiceLedger(book.database).request_admission(version.id)
    async with runner(book, ScriptedExecutor()):
        await until(lambda: state(book, asked) is AdmissionState.ADMITTED)
    assert (book.programs.find(version.content_hash).directory / "made.py").is_file()


async def test_a_version_whose_build_fails_is_refused_with_its_log(book: Book) -> None:
    version = book.add_bot("ann", build="raise SystemExit('no rule to make this')")
    asked = ServiceLedger(book.database).request_admission(version.id)
    async with runner(book, ScriptedExecutor()):
        await until(lambda: state(book, asked) is AdmissionState.REFUSED)
    (finding,) = admission_row(book.database, asked.id).admission.checks
    assert finding["sentence"] == "The build command `python make.py` failed (exit status 1); its log tells why."
    assert finding["evidence"] == {"log": "no rule to make this\n"}


async def test_a_version_of_an_unknown_runtime_is_refused_with_the_known_ones(book: Book) -> None:
    version = book.add_bot("ann", runtime="python-ml")
    asked = ServiceLedger(book.database).request_admission(version.id)
    async with runner(book, ScriptedExecutor()):
        await until(lambda: state(book, asked) is AdmissionState.REFUSED)
    summary = admission_row(book.database, asked.id).admission.summary
    assert summary is not None
    assert "runtime is 'python-ml', and this arena knows 'arena', 'bundled'" in summary


async def test_entrants_are_built_for_the_runtime_as_it_is(book: Book, tmp_path: Path) -> None:
    venv = make_venv(tmp_path / "venv", "fakenet==1")

    def programs() -> StoredPrograms:
        return replace(book.programs, runtimes=RuntimeCatalog(settings_for(venv), tmp_path / "cache"))

    make = "import fakenet; open('made', 'w').write(fakenet.VERSION)"
    version = book.add_bot("eva", runtime=NAME, build=make).content_hash
    before = programs()
    await build_version(before, version, has_owner=False)
    bots = ("eva", "ann", "bob")
    match = create_match(book.database, before, TERMS, bots=bots, choose_name=lambda _: "one")
    add_package(venv, "fakenet", "2")
    after = programs()
    with pytest.raises(BuildMissingError):
        after.find(version)
    await build_entrants(book.database, after, match.id, Supervisor(Health(), get_logger("test")))
    assert (after.find(version).directory / "made").read_text(encoding="utf-8") == "2"
