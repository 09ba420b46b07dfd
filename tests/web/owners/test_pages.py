"""The pages of owners, against the services over their socket: bots, logs, tokens."""

from __future__ import annotations

import io
import re
import tarfile
import tempfile
import zipfile
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from arena.web.owners.sessions import LIVES_S, SessionStore
from arena.web.shared.streams import event
from ratings.ledger.service_ledger import ServiceLedger
from ratings.values.states import Scope
from tests.app.world import play_logged
from tests.support.owners import RunningServer
from tests.support.places import write_quick_bot
from tests.support.web_pages import browsing, sign_in, tarred, zipped


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
    version = hand_in(client, sign_in(client, server.token("kim", Scope.COMPETITOR)), tmp_path, "fox")
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
    token = server.token("kim", Scope.COMPETITOR)
    version = hand_in(client, sign_in(client, token), tmp_path, "elk")
    with server.arena(token) as kim:
        kim.account.revoke_own_token(kim.account.get_identity().token or "")
    text = client.get("/account/admission/live", params={"version": version}).text
    assert "was revoked or has expired" in text
    assert "kim/elk" not in text
    assert text.rstrip().endswith("event: over\ndata: over")


def test_strangers_and_others_are_sent_nothing(server: RunningServer, client: TestClient, tmp_path: Path) -> None:
    version = hand_in(client, sign_in(client, server.token("kim", Scope.COMPETITOR)), tmp_path, "hen")
    sign_in(client, server.token("bob", Scope.COMPETITOR))
    assert client.get("/account/admission", params={"version": version}).status_code == 403
    text = client.get("/account/admission/live", params={"version": version}).text
    assert "is for its owner to see" in text
    client.cookies.clear()
    assert client.get("/account/admission/live?version=x", follow_redirects=False).headers["location"] == "/login"


def test_no_more_follow_than_can_be_served(server: RunningServer, client: TestClient) -> None:
    sign_in(client, server.token("kim", Scope.COMPETITOR))
    followers = client.app.state.followers  # type: ignore[attr-defined] # it is the application of the pages
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(followers, "_most", 0)
        assert client.get("/account/admission/live?version=kim/fox").status_code == 503


def test_an_event_holds_any_text() -> None:
    text = event("log", "a\r\nb\rc\n", "1.2").decode()
    assert text == "event: log\nid: 1.2\ndata: a\ndata: b\ndata: c\ndata: \n\n"


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
    assert 'value="promote"' not in page.text  # it was not admitted yet
    (named,) = set(re.findall(r'name="name" value="(ada/fox@[^"]+)"', page.text))
    order = {"proof": proof, "name": named, "what": "withdraw"}
    assert client.post("/account/change", data=order).status_code == 400  # nobody said that he is sure
    assert "withdrawn" in client.post("/account/change", data=order | {"sure": "yes"}).text
    assert client.get("/account/bot", params={"name": "ada/hen"}).status_code == 404


def test_an_owner_reads_what_his_own_bots_wrote_and_nothing_of_others(
    server: RunningServer, client: TestClient
) -> None:
    match = play_logged(server, "<script>x</script>")
    assert client.get("/account/logs", params={"match": match}).url.path == "/login"
    sign_in(client, server.token("ann", Scope.COMPETITOR))
    page = client.get("/account/logs", params={"match": match}).text
    assert "&lt;script&gt;x&lt;/script&gt; ann/fox" in page
    assert "<script>x" not in page
    assert "ben/owl" not in page
    assert client.get("/account/logs", params={"match": "none"}).status_code == 404


def zip_of(files: dict[str, bytes]) -> bytes:
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return kept.getvalue()


def tar_of_link() -> bytes:
    kept = io.BytesIO()
    with tarfile.open(fileobj=kept, mode="w") as archive:
        link = tarfile.TarInfo("bot.toml")
        link.type, link.linkname = tarfile.SYMTYPE, "/etc/passwd"
        archive.addfile(link)
    return kept.getvalue()


MANIFEST = b'schema = 1\nname = "owl"\ncommand = ["python", "main.py"]\n'
BUNDLED = b'schema = 1\nname = "owl"\ncommand = ["bin/owl"]\nruntime = "bundled"\n'
SCRIPT = "<script>alert(1)</script>"


NO_BOTS = (
    ("bot.zip", b"no archive at all", "it cannot be unpacked"),
    ("bot.png", b"\x89PNG\r\n\x1a\n" + b"0" * 1000, "it cannot be unpacked"),
    ("nothing.zip", b"", "it cannot be unpacked"),
    ("bent.zip", zip_of({"../bot.toml": MANIFEST}), "../bot.toml"),
    ("rooted.zip", zip_of({"/etc/bot.toml": MANIFEST}), "/etc/bot.toml"),
    ("empty.zip", zip_of({}), "there is no bot.toml in it"),
    ("deep.zip", zip_of({"a/b/bot.toml": MANIFEST}), "there is no bot.toml, but one in"),
    ("cut.zip", zip_of({"bot.toml": MANIFEST})[:-30], "it cannot be unpacked"),
    ("twice.zip", zip_of({"bot.toml": MANIFEST, "./bot.toml": MANIFEST}), "is there twice"),
    ("link.tar", tar_of_link(), "is no plain file"),
    ("bomb.zip", zip_of({"bot.toml": MANIFEST, "main.py": bytes(4 << 20)}), "larger than a version may be"),
    ("no-main.zip", zip_of({"bot.toml": MANIFEST}), "main.py"),
    ("no-toml.zip", zip_of({"bot.toml": b"\xff\x00"}), "bot.toml"),
    ("named.zip", zip_of({"bot.toml": MANIFEST.replace(b"owl", SCRIPT.encode()), "main.py": b"1"}), "name"),
    (f"{SCRIPT}.zip", b"no archive", "it cannot be unpacked"),
)
"""What is uploaded, and what is said of it."""


def test_a_bot_packed_on_windows_is_taken_with_its_program(server: RunningServer, client: TestClient) -> None:
    kept = io.BytesIO()
    with zipfile.ZipFile(kept, "w") as archive:
        for name, content in {"owl\\bot.toml": BUNDLED, "owl\\bin\\owl": b"\x7fELF"}.items():
            info = zipfile.ZipInfo(name)
            info.create_system = 0
            archive.writestr(info, content)
    proof = sign_in(client, server.token("eve", Scope.COMPETITOR))
    page = client.post("/account/upload", data={"proof": proof}, files={"archive": ("owl.zip", kept.getvalue())})
    assert page.status_code == 200, page.text
    assert "eve/owl v1" in page.text


def test_what_is_no_bot_is_refused_with_the_reason_and_nothing_is_left_of_it(
    server: RunningServer, client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    proof = sign_in(client, server.token("bob", Scope.COMPETITOR))
    with server.arena() as organiser:
        organiser.admin.set_owner_limits("bob", {"archive_mb": 3})
    for name, content, why in NO_BOTS:
        page = client.post("/account/upload", data={"proof": proof}, files={"archive": (name, content)})
        assert page.status_code == 400, name
        assert why in page.text, name
        assert "<h1>That is not accepted</h1>" in page.text, name
        assert SCRIPT not in page.text, name
        assert list(tmp_path.iterdir()) == [], name
    account = client.get("/account?lang=en").text
    assert "bob/" not in account
    assert "notes: the replays keep up to 256 MB of them for all bots of bob, 0.0 MB so far" in account
    with server.arena() as organiser:
        assert organiser.account.get_usage("bob").stored_bytes == 0


def test_what_is_too_large_is_refused_before_it_is_sent(server: RunningServer, client: TestClient) -> None:
    proof = sign_in(client, server.token("bob", Scope.COMPETITOR))
    huge = client.post("/account/upload", headers={"content-length": str(1 << 40)}, content=b"")
    assert huge.status_code == 413
    assert "MB; leave out" in huge.text
    assert client.post("/account/upload", headers={"transfer-encoding": "chunked"}, content=b"").status_code == 411
    assert client.post("/account/upload", data={"proof": proof}).status_code == 400


@pytest.mark.hostile("web-page-of-another-site-acts")
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


def test_a_text_that_is_no_token_is_answered_like_a_wrong_one(server: RunningServer) -> None:
    with browsing(server) as client:
        wrong, odd = (client.post("/login", data={"token": text}) for text in ("kmt_wrong", "kma_\u00e9\n\u202e"))
    assert (wrong.status_code, odd.status_code, odd.text) == (403, 403, wrong.text)


def test_whoever_signs_in_anew_has_left_before(server: RunningServer) -> None:
    with browsing(server) as client:
        sign_in(client, server.token("eve", Scope.COMPETITOR))
        before = client.cookies["session"]
        sign_in(client, server.token("eve", Scope.COMPETITOR))
        client.cookies.clear()
        client.cookies.set("session", before)
        assert client.get("/account", follow_redirects=False).headers["location"] == "/login"


def test_a_session_ends_after_its_time() -> None:
    now = [0.0]
    sessions = SessionStore(lambda: now[0])
    key = sessions.open("kmt_x", "ada").key
    assert sessions.find(key) is not None
    now[0] = LIVES_S + 1
    assert sessions.find(key) is None
    assert sessions.find(None) is None


@pytest.mark.hostile("web-ask-for-what-is-anothers")
def test_an_owner_is_shown_nothing_of_another_whatever_address_he_asks(
    server: RunningServer, client: TestClient
) -> None:
    match = play_logged(server, "wrote by")
    with server.arena(server.token("ann", Scope.COMPETITOR)) as ann:
        (version, *_) = (one.content_hash for one in ann.bots.list_versions("ann/fox").items)
    token = server.token("mallory", Scope.COMPETITOR)
    proof = sign_in(client, token)
    for path in ("/account/build", "/account/admission"):
        for named in ("ann/fox", f"ann/fox@{version}"):
            assert client.get(path, params={"version": named}).status_code in (403, 404), (path, named)
    assert client.get("/account/logs", params={"match": match}).status_code == 403
    page = client.get("/account/bot", params={"name": "ann/fox"})
    assert "wrote by" not in page.text
    assert 'value="withdraw"' not in page.text
    for what in ("promote", "withdraw"):
        order = {"proof": proof, "name": f"ann/fox@{version}", "what": what, "sure": "yes"}
        assert client.post("/account/change", data=order).status_code == 403
    assert "ann/fox" not in client.get("/account").text


def test_a_token_is_shown_once_and_lets_in_until_it_is_revoked(server: RunningServer, client: TestClient) -> None:
    proof = sign_in(client, server.token("ada", Scope.COMPETITOR))
    form = {"proof": proof, "name": "<b>laptop</b>", "scope": "competitor", "days": ""}
    answer = client.post("/account/tokens", data=form)
    assert answer.headers["cache-control"] == "no-store"
    (made,) = re.findall(r"kma_[\w-]{20,}", answer.text)
    assert "&lt;b&gt;laptop" in answer.text
    assert "<b>laptop" not in answer.text
    listed = client.get("/account/tokens").text
    assert made not in listed
    assert "&lt;b&gt;laptop" in listed
    assert "this session" in listed
    again = client.post("/account/tokens", data=form)  # as when the page is loaded again: no second one is made
    assert (again.status_code, "has a token" in again.text) == (400, True)
    token_id = re.findall(r'name="token" value="([^"]+)"', listed)[0]
    with browsing(server) as other:
        sign_in(other, made)
        assert other.get("/account").status_code == 200
        order = {"proof": proof, "token": token_id}
        assert client.post("/account/tokens/revoke", data=order).status_code == 400  # nobody said that he is sure
        assert "revoked" in client.post("/account/tokens/revoke", data=order | {"sure": "yes"}).text
        assert "was revoked or has expired" in other.get("/account").text
        assert other.get("/account", follow_redirects=False).headers["location"] == "/login"  # no session is left


def test_nobody_makes_or_ends_the_tokens_of_others(server: RunningServer, client: TestClient) -> None:
    with browsing(server) as other:
        sign_in(other, server.token("bob", Scope.COMPETITOR))
        bobs = re.findall(r'name="token" value="([^"]+)"', other.get("/account/tokens").text)[0]
        proof = sign_in(client, server.token("ada", Scope.COMPETITOR))
        assert bobs not in client.get("/account/tokens").text
        order = {"proof": proof, "token": bobs, "sure": "yes"}
        assert client.post("/account/tokens/revoke", data=order).status_code in (400, 404)
        assert other.get("/account", follow_redirects=False).status_code == 200
    form = {"proof": proof, "name": "all", "scope": "organiser"}
    assert client.post("/account/tokens", data=form).status_code == 400
    assert client.post("/account/tokens", data=form | {"scope": "player", "proof": "wrong"}).status_code == 403
    assert client.post("/account/tokens", data=form | {"scope": "player", "days": "0"}).status_code == 400
    assert client.post("/account/tokens", data=form | {"scope": "player", "name": " "}).status_code == 400


def test_the_tokens_are_for_those_who_have_signed_in(server: RunningServer, client: TestClient) -> None:
    assert client.get("/account/tokens", follow_redirects=False).headers["location"] == "/login"
    with server.arena() as organiser:
        made = organiser.admin.new_token(None, "desk", Scope.ORGANISER)
    sign_in(client, made.token)
    assert "/account/tokens" not in client.get("/account").text
    assert client.get("/account/tokens").status_code == 404
