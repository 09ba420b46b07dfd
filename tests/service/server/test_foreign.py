"""A token of one owner gives nothing of another's, call by call."""

import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from arena.client.errors import ForbiddenError, UnknownError
from arena.client.there.remote import ArenaThere
from arena.client.there.submitting import submit
from ratings.store.states import Scope
from tests.cli.support import write_bot
from tests.support.owners import RunningServer, running_server

Call = Callable[[ArenaThere], object]

FOREIGN: dict[str, Call] = {
    "SetDisabled": lambda arena: arena.bots.set_disabled("ada/fox", True),
    "PromoteVersion": lambda arena: arena.bots.promote_version("ada/fox"),
    "WithdrawVersion": lambda arena: arena.bots.withdraw_version("ada/fox"),
    "RollBack": lambda arena: arena.bots.roll_back("ada/fox"),
    "GetAdmission": lambda arena: arena.admissions.get_admission("ada/fox"),
    "RequestAdmission": lambda arena: arena.admissions.request_admission("ada/fox"),
    "WatchAdmission": lambda arena: list(arena.admissions.watch_admission("ada/fox")),
}


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RunningServer]:
    """A server to which ada handed in a bot."""
    with (
        tempfile.TemporaryDirectory(prefix="kma") as directory,
        running_server(Path(directory)) as running,
        running.arena(running.token("ada", Scope.COMPETITOR)) as ada,
    ):
        submit(ada, write_bot(tmp_path_factory.mktemp("fox"), "fox"), "", lambda _sent, _total: None)
        yield running


@pytest.fixture(scope="module")
def eve(server: RunningServer) -> Iterator[ArenaThere]:
    with server.arena(server.token("eve", Scope.COMPETITOR)) as arena:
        yield arena


@pytest.mark.parametrize("name", FOREIGN)
def test_what_belongs_to_another_owner_is_refused(eve: ArenaThere, name: str) -> None:
    with pytest.raises(ForbiddenError):
        FOREIGN[name](eve)


def test_an_admission_is_not_told_by_its_id_either(server: RunningServer, eve: ArenaThere) -> None:
    with server.arena() as organiser:
        (admission,) = organiser.admissions.list_admissions().items
    for ask in (eve.admissions.get_admission, lambda id_: eve.operations.get_operation(f"admissions/{id_}")):
        with pytest.raises(ForbiddenError):
            ask(admission.id)


def test_lists_of_what_is_private_hold_only_ones_own(server: RunningServer, eve: ArenaThere) -> None:
    assert eve.admissions.list_admissions().items == ()
    assert [bot.name for bot in eve.bots.list_bots().items] == ["ada/fox"], "bots are everybody's to see"


def test_the_plain_name_of_another_owners_bot_means_nothing(eve: ArenaThere) -> None:
    with pytest.raises(UnknownError):
        eve.bots.get_bot("fox")
