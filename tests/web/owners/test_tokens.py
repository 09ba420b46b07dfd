"""An owner's tokens on his pages: listed without themselves, made and shown once, revoked with what they let in."""

import re

from fastapi.testclient import TestClient

from ratings.values.states import Scope
from tests.support.owner_pages import browsing, sign_in
from tests.support.owners import RunningServer


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
