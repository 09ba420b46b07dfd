"""Owners in a browser, against the owners' services over their socket."""

import io
import re
import zipfile
from pathlib import Path

from fastapi.testclient import TestClient

from arena.web.owners.sessions import LIVES_S, Sessions
from ratings.store.states import Scope
from tests.support.owner_pages import browsing, sign_in, tarred, zipped
from tests.support.owners import RunningServer
from tests.support.places import write_quick_bot


def test_an_owner_hands_bots_in_and_steers_them(server: RunningServer, client: TestClient, tmp_path: Path) -> None:
    proof = sign_in(client, server.token("ada", Scope.COMPETITOR))
    fox, elk = (
        write_quick_bot(tmp_path / "fox", "first", name="fox"),
        write_quick_bot(tmp_path / "elk", "last", name="elk"),
    )
    form = {"proof": proof, "message": "<script>alert(1)</script>"}
    page = client.post("/account/upload", data=form, files={"archive": ("fox.zip", zipped(fox))})
    assert "ada/fox v1" in page.text
    assert "It waits for its turn" in page.text
    assert "ada/elk v1" in client.post("/account/upload", data=form, files={"archive": ("elk.tgz", tarred(elk))}).text
    assert "ada/elk" in client.get("/account").text
    page = client.get("/account/bot", params={"name": "ada/fox"})
    assert "&lt;script&gt;" in page.text
    assert "<script>alert" not in page.text
    (named,) = set(re.findall(r'name="name" value="(ada/fox@[^"]+)"', page.text))
    order = {"proof": proof, "name": named, "what": "withdraw"}
    assert client.post("/account/change", data=order).status_code == 400  # nobody said that he is sure
    assert "withdrawn" in client.post("/account/change", data=order | {"sure": "yes"}).text
    assert client.get("/account/bot", params={"name": "ada/hen"}).status_code == 404


def test_what_is_no_bot_is_refused_with_the_reason(server: RunningServer, client: TestClient, tmp_path: Path) -> None:
    proof = sign_in(client, server.token("bob", Scope.COMPETITOR))
    bent = io.BytesIO()
    with zipfile.ZipFile(bent, "w") as archive:
        archive.writestr("../bot.toml", "schema = 1")
    for name, content, why in (
        ("bot.zip", b"no archive at all", "it cannot be unpacked"),
        ("bent.zip", bent.getvalue(), "leads"),
        ("empty.zip", zipped(tmp_path), "there is no bot.toml in it"),
    ):
        page = client.post("/account/upload", data={"proof": proof}, files={"archive": (name, content)})
        assert page.status_code == 400
        assert name in page.text
        if name != "bent.zip":
            assert why in page.text
    huge = client.post("/account/upload", headers={"content-length": str(1 << 40)}, content=b"")
    assert huge.status_code == 413
    assert client.post("/account/upload", data={"proof": proof}).status_code == 400


def test_nothing_is_done_for_pages_of_other_sites_or_without_the_proof(
    server: RunningServer, client: TestClient
) -> None:
    token = server.token("cid", Scope.COMPETITOR)
    assert client.post("/login", data={"token": token}, headers={"origin": "https://evil.example"}).status_code == 403
    proof = sign_in(client, token)
    for sent in ({}, {"proof": "wrong"}):
        assert client.post("/logout", data=sent).status_code == 403
    assert client.post("/logout", data={"proof": proof}, headers={"sec-fetch-site": "cross-site"}).status_code == 403
    assert client.get("/account", follow_redirects=False).status_code == 200
    assert client.post("/logout", data={"proof": proof}, follow_redirects=False).headers["location"] == "/"
    assert client.get("/account", follow_redirects=False).headers["location"] == "/login"


def test_only_a_token_lets_in_and_its_cookie_is_kept_from_scripts(server: RunningServer) -> None:
    with browsing(server, is_secure=True) as client:
        assert client.post("/login", data={"token": ""}).status_code == 400
        assert client.post("/login", data={"token": "kmt_wrong"}).status_code == 403
        answer = client.post("/login", data={"token": server.token("dan", Scope.COMPETITOR)}, follow_redirects=False)
        cookie = answer.headers["set-cookie"].lower()
        assert all(part in cookie for part in ("httponly", "samesite=lax", "secure", "max-age"))
        assert "kmt_" not in cookie


def test_a_session_ends_after_its_time() -> None:
    now = [0.0]
    sessions = Sessions(lambda: now[0])
    key = sessions.open("kmt_x", "ada").key
    assert sessions.find(key) is not None
    now[0] = LIVES_S + 1
    assert sessions.find(key) is None
    assert sessions.find(None) is None
