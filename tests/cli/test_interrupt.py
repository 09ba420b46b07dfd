"""What signals do to a run."""

from __future__ import annotations

import asyncio
import os
import signal
from collections.abc import Iterator

import pytest

from arena.cli.shared.interrupt import InterruptedRunError, run_interruptibly
from tests.support.patience import PATIENCE_S


@pytest.fixture
def hangup() -> Iterator[None]:
    """Be told of SIGHUP even where the tests run under nohup, and leave it as it was."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


async def work_on(number: signal.Signals, cleaned: list[str]) -> str:
    """Be sent a signal in the middle of the work, and tidy up."""
    try:
        os.kill(os.getpid(), number)
        await asyncio.sleep(0 if signal.getsignal(number) is signal.SIG_IGN else PATIENCE_S)
    finally:
        cleaned.append("tidy")
    return "done"


@pytest.mark.usefixtures("hangup")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_a_run_in_good_order(number: signal.Signals, capsys: pytest.CaptureFixture[str]) -> None:
    cleaned: list[str] = []
    with pytest.raises(InterruptedRunError, match="stopped; nothing is lost"):
        run_interruptibly(work_on(number, cleaned), "nothing is lost")
    assert cleaned == ["tidy"]
    assert "stopping; Ctrl-C again ends at once" in capsys.readouterr().err


@pytest.mark.usefixtures("hangup")
def test_a_run_under_nohup_goes_on_when_the_terminal_is_closed() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    assert run_interruptibly(work_on(signal.SIGHUP, []), "") == "done"
