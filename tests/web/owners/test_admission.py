"""The page of an admission: whole without a script, and a stream that sends what is new and goes on after a break."""

import re
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from arena.web.shared.streams import event
from ratings.ledger.service import ServiceLedger
from ratings.values.states import Scope
from tests.support.owner_pages import sign_in, zipped
from tests.support.owners import RunningServer
from tests.support.places import write_quick_bot


def hand_in(client: TestClient, proof: str, directory: Path, name: str) -> str:
    """Hand a bot in; its version."""
    bot = write_quick_bot(directory / name, "first", name=name)
    page = client.post("/account/upload", data={"proof": proof}, files={"archive": (f"{name}.zip", zipped(bot))})
    assert page.status_code == 200, page.text
    return str(page.url.params["version"])


def refuse(server: RunningServer) -> None:
    """Have the admission that waits longest refused, for something that a bot wrote."""
    ledger = ServiceLedger(server.database)
    taken = ledger.take_admission()
    assert taken is not None
    evidence = {"stderr": "<script>alert(1)</script>\nTraceback", "stdout": "<script>alert(2)</script>"}
    finding = {"check": "start", "state": "failed", "sentence": "it <b>ended</b>", "evidence": evidence}
    assert ledger.add_finding(taken.admission.id, finding)
    assert ledger.finish_admission(taken.admission.id, is_admitted=False, summary="Refused.", findings=[finding])


def test_the_stream_sends_what_is_new_to_its_end_and_nothing_twice(
    server: RunningServer, client: TestClient, tmp_path: Path
) -> None:
    version = hand_in(client, sign_in(client, server.token("ada", Scope.COMPETITOR)), tmp_path, "fox")
    page = client.get("/account/admission", params={"version": version}).text
    (live,) = re.findall(r'sse-connect="([^"]+)"', page)
    refuse(server)
    answer = client.get(live.replace("&amp;", "&"))
    assert answer.headers["content-type"].startswith("text/event-stream")
    assert answer.headers["cache-control"] == "no-store"
    kinds = re.findall(r"^event: (\w+)$", answer.text, re.MULTILINE)
    assert kinds == ["findings", "log", "over"]
    assert "&lt;script&gt;alert(1)" in answer.text
    assert "What the bot wrote to stdout" in answer.text
    assert "&lt;script&gt;alert(2)" in answer.text
    assert "<script>" not in answer.text
    place = re.findall(r"^id: (\S+)$", answer.text, re.MULTILINE)[-1]
    again = client.get(live.replace("&amp;", "&"), headers={"last-event-id": place}).text
    assert re.findall(r"^event: (\w+)$", again, re.MULTILINE) == ["over"]
    assert client.get(live.replace("&amp;", "&"), headers={"last-event-id": "x.y.z"}).text.count("event:") == 3
    page = client.get("/account/admission", params={"version": version}).text
    assert "sse-connect" not in page
    assert "it &lt;b&gt;ended" in page


def test_a_revoked_token_ends_the_stream(server: RunningServer, client: TestClient, tmp_path: Path) -> None:
    token = server.token("ada", Scope.COMPETITOR)
    version = hand_in(client, sign_in(client, token), tmp_path, "elk")
    with server.arena(token) as ada:
        ada.account.revoke_own_token(ada.account.get_identity().token or "")
    text = client.get("/account/admission/live", params={"version": version}).text
    assert "was revoked or has expired" in text
    assert "ada/elk" not in text
    assert text.rstrip().endswith("event: over\ndata: over")


def test_strangers_and_others_are_sent_nothing(server: RunningServer, client: TestClient, tmp_path: Path) -> None:
    version = hand_in(client, sign_in(client, server.token("ada", Scope.COMPETITOR)), tmp_path, "hen")
    sign_in(client, server.token("bob", Scope.COMPETITOR))
    assert client.get("/account/admission", params={"version": version}).status_code == 403
    text = client.get("/account/admission/live", params={"version": version}).text
    assert "is for its owner to see" in text
    client.cookies.clear()
    assert client.get("/account/admission/live?version=x", follow_redirects=False).headers["location"] == "/login"


def test_no_more_follow_than_can_be_served(server: RunningServer, client: TestClient) -> None:
    sign_in(client, server.token("ada", Scope.COMPETITOR))
    followers = client.app.state.followers  # type: ignore[attr-defined] # it is the application of the pages
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(followers, "_most", 0)
        assert client.get("/account/admission/live?version=ada/fox").status_code == 503


def test_an_event_holds_any_text() -> None:
    text = event("log", "a\r\nb\rc\n", "1.2").decode()
    assert text == "event: log\nid: 1.2\ndata: a\ndata: b\ndata: c\ndata: \n\n"
