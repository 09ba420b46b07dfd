"""An owner's way through his pages in a real browser: in, a bot handed in and looked at, steered, tokens, out again.

The checks of a version are written by the test: what they are made of is tested with the service, and here only how
they come to the page.
"""

from __future__ import annotations

import base64
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import pytest

from arena.rpc.upload import submit
from arena.web.app import make_app, open_site
from ratings.ledger.service_ledger import ServiceLedger
from ratings.values.states import Scope
from tests.app.world import play_logged
from tests.support.browsing import PHONE, WIDE, Watched, expect, find_chromium
from tests.support.owners import RunningServer
from tests.support.places import write_quick_bot
from tests.support.web_pages import served, zipped

if TYPE_CHECKING:
    from playwright.sync_api import Page

SCRIPT = """"><svg onload=alert(1)><img src=x onerror=alert(1)></script><script>alert(1)</script>"""
NAME = "<script>alert(1)</script>"
TURNED = "\u202egpj.exe"
"""It would turn the text behind it around."""
NOTHING_RUNS = "!document.querySelector('main [onload], main [onerror], main script, main img[src=x]')"


@pytest.fixture
def front(server: RunningServer) -> Iterator[str]:
    """Where a browser finds the pages of the service."""
    find_chromium()
    place = server.addresses.socket
    assert place is not None
    with (
        open_site(str(place.parents[1] / "arena.db"), f"unix:{place}") as site,
        served(make_app(site)) as address,
    ):
        yield address


def drop(tab: Page, name: str, content: bytes) -> None:
    """Drop a file on the form that takes one, as a mouse does."""
    given = {"name": name, "content": base64.b64encode(content).decode()}
    transfer = tab.evaluate_handle(
        """async ({name, content}) => {
          const transfer = new DataTransfer();
          const bytes = Uint8Array.from(atob(content), (char) => char.charCodeAt(0));
          transfer.items.add(new File([bytes], name));
          return transfer;
        }""",
        given,
    )
    for event in ("dragover", "drop"):
        tab.dispatch_event("form[data-drop]", event, {"dataTransfer": transfer})


def press(tab: Page, *keys: str) -> None:
    for key in keys:
        tab.keyboard.press(key)


def look_at(page: Watched, scheme: Literal["light", "dark"]) -> None:
    """The page as it is now, on a phone: for axe, and whether it fits."""
    tab = page.page
    tab.set_viewport_size({"width": PHONE["width"], "height": PHONE["height"]})
    tab.emulate_media(color_scheme=scheme)
    assert page.serious_findings() == []
    assert page.overflows() == 0
    tab.set_viewport_size({"width": WIDE["width"], "height": WIDE["height"]})
    tab.emulate_media(color_scheme="light")


def finding(check: str, state: str, sentence: str) -> dict[str, object]:
    return {"check": check, "state": state, "sentence": sentence, "evidence": {"stderr": SCRIPT}}


def admit(server: RunningServer, tab: Page) -> None:
    """Have the version admitted whose page is open, step by step, and see each step come by itself."""
    ledger = ServiceLedger(server.database)
    expect(tab.locator(".tag")).to_have_text("waiting")
    tab.evaluate("document.body.dataset.same = 'page'")
    taken = ledger.take_admission()
    assert taken is not None
    expect(tab.locator(".tag")).to_have_text("being checked")
    start = finding("start", "passed", f"It starts {SCRIPT}.")
    assert ledger.add_finding(taken.admission.id, start)
    expect(tab.locator(".steps li")).to_contain_text(f"It starts {SCRIPT}.")
    ending = finding("ending", "passed", "It ends.")
    ledger.finish_admission(taken.admission.id, is_admitted=True, summary="Admitted.", findings=[start, ending])
    expect(tab.locator(".tag")).to_have_text("admitted")
    expect(tab.locator(".steps li")).to_have_count(2)
    expect(tab.locator("progress")).to_have_count(0)
    assert tab.evaluate("document.body.dataset.same") == "page"


def sign_in(page: Watched, front: str, token: str) -> None:
    tab = page.page
    tab.goto(f"{front}/account")
    assert tab.url == f"{front}/login"
    assert page.serious_findings() == []
    tab.locator("input[name=token]").focus()
    tab.keyboard.type(token)
    press(tab, "Enter")
    tab.wait_for_url(f"{front}/account")


def hand_in(server: RunningServer, page: Watched, bot: Path) -> None:
    tab = page.page
    drop(tab, "fox.zip", zipped(bot))
    assert tab.evaluate("document.querySelector('input[type=file]').files[0].name") == "fox.zip"
    tab.fill("input[name=message]", SCRIPT)
    tab.get_by_role("button", name="Hand in").click()
    tab.wait_for_url("**/account/admission?**")
    admit(server, tab)
    look_at(page, "dark")


def hand_in_another(server: RunningServer, token: str, bot: Path) -> None:
    """A second version, admitted, which comes from the command line."""
    (bot / "main.py").write_text((bot / "main.py").read_text(encoding="utf-8") + "# better\n", encoding="utf-8")
    with server.arena(token) as ann:
        submit(ann, bot, "better", lambda _sent, _total: None)
    ledger = ServiceLedger(server.database)
    taken = ledger.take_admission()
    assert taken is not None
    ledger.finish_admission(taken.admission.id, is_admitted=True, summary="Admitted.", findings=[])


def steer(page: Watched) -> None:
    """Promote the first version again, and withdraw the second."""
    tab = page.page
    tab.get_by_role("link", name="Manage: ann/fox").click()
    versions = tab.locator("tbody tr")
    expect(versions.nth(0)).to_contain_text("plays")
    expect(versions.nth(1)).to_contain_text(SCRIPT)
    versions.nth(1).locator("summary", has_text="Promote").focus()
    press(tab, "Enter", "Tab", "Enter")  # the question, its button
    expect(versions.nth(1).locator(".tag")).to_have_text("plays")
    versions.nth(0).locator("summary", has_text="Withdraw").click()
    versions.nth(0).get_by_role("button", name="Withdraw").click()
    expect(versions.nth(0).locator(".tag")).to_have_text("withdrawn")
    look_at(page, "dark")


def read_logs(server: RunningServer, page: Watched, front: str) -> None:
    tab = page.page
    match = play_logged(server, SCRIPT + TURNED)
    tab.goto(f"{front}/account/logs?match={match}")
    expect(tab.locator("main pre")).to_contain_text(f"{SCRIPT}{TURNED}")
    assert tab.evaluate(NOTHING_RUNS)


def make_and_revoke_a_token(page: Watched, front: str) -> None:
    tab = page.page
    tab.goto(f"{front}/account/tokens")
    tab.fill("input[name=name]", NAME)
    press(tab, "Enter")
    secret = tab.locator(".secret").inner_text()
    assert secret.startswith("kma_")
    look_at(page, "light")
    tab.goto(f"{front}/account/tokens")
    assert secret not in tab.content()
    row = tab.locator("tbody tr", has_text=NAME)
    row.locator("summary").focus()
    press(tab, "Enter", "Tab", "Enter")
    expect(row.locator(".tag")).to_have_text("revoked")


def sign_out(tab: Page, front: str) -> None:
    tab.goto(f"{front}/account")
    tab.get_by_role("button", name="Sign out").click()
    tab.wait_for_url(f"{front}/")
    tab.goto(f"{front}/account")
    assert tab.url == f"{front}/login"


def test_an_owner_does_everything_in_a_browser(
    server: RunningServer, front: str, page: Watched, tmp_path: Path
) -> None:
    token = server.token("ann", Scope.COMPETITOR)
    sign_in(page, front, token)
    bot = write_quick_bot(tmp_path / "fox", "first", name="fox")
    hand_in(server, page, bot)
    hand_in_another(server, token, bot)
    page.page.goto(f"{front}/account")
    assert page.unreached() == []
    look_at(page, "light")
    steer(page)
    read_logs(server, page, front)
    make_and_revoke_a_token(page, front)
    sign_out(page.page, front)
