"""Errors say what sort of failure they are: exit codes and statuses follow from that, and from no list of classes."""

from __future__ import annotations

import re

from arena.cli.shared.errors import EXIT_CODES
from arena.connect.news import ConnectError
from arena.executor.interface import ExecutorFailedError
from arena.hosting.archive.format import BotArchiveError
from arena.hosting.errors import HostingError
from arena.hosting.manifest import BotDirectoryError
from arena.hosting.runtimes.runtime import RuntimeSettingsError
from arena.hosting.store import StoreError
from arena.hosting.uploads.errors import UploadError
from arena.match.replay import ReplayError
from arena.match.result import MatchLostError
from arena.match.time_control import TimeControlError
from arena.model.errors import ClientError, ErrorKind, kind_of
from arena.service.server.errors import CODES
from arena.service.startup_errors import DaemonError
from arena.story.errors import StoryError
from arena.tournament.errors import TournamentError
from arena.tournament.formats.format import ScheduleError
from arena.trial.artifacts import KeepingError
from arena.trial.trials import UndecidedError
from arena.web.middleware.errors import STATUS
from arena.web.shared.streams import TooManyStreamsError
from arena.web.viewer.stories import TooManyWaitingError
from engine.errors import EngineError
from ratings.errors import RatingsError
from ratings.statistics.errors import StatisticsError
from tests.support.reporting import report
from tests.support.sources import PRODUCT, error_classes, name_of, sources_below, text_of

ROOTS = (
    *(EngineError, RatingsError, StatisticsError, ClientError, DaemonError, ConnectError),
    *(HostingError, BotDirectoryError, RuntimeSettingsError, StoreError, BotArchiveError, UploadError),
    *(MatchLostError, ReplayError, TimeControlError, StoryError, TournamentError, ScheduleError),
    *(ExecutorFailedError, KeepingError, UndecidedError, TooManyStreamsError, TooManyWaitingError),
)
"""What may reach a command, a client or a visitor."""


def test_what_people_are_told_of_has_a_kind() -> None:
    report(f"{name_of(root)} has no kind" for root in ROOTS if not isinstance(vars(root).get("kind"), str))
    assert kind_of(RuntimeError()) is ErrorKind.INTERNAL


def test_a_kind_is_one_that_there_is() -> None:
    assert len(error_classes()) > 150
    known = {kind.value for kind in ErrorKind}
    kinds = {error: getattr(error, "kind", "internal") for error in error_classes()}
    report(f"{name_of(error)} is {kind!r}" for error, kind in kinds.items() if kind not in known)


def test_every_kind_has_an_exit_code_and_both_statuses() -> None:
    assert set(EXIT_CODES) == set(CODES) == set(STATUS) == set(ErrorKind)


def test_no_text_names_a_class_of_errors_by_its_module() -> None:
    names = {name_of(error) for error in error_classes()}
    texts = {path: text_of(path) for path in sources_below(*PRODUCT)}
    found = {path: names.intersection(re.findall(r"[\w.]+Error\b", text)) for path, text in texts.items()}
    report(f"{path}: {', '.join(sorted(named))}" for path, named in found.items() if named)
