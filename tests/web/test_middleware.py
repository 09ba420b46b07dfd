"""What keeps pages from being misused, and what a visitor sees when something is wrong."""

import hashlib
import json
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from arena.hosting.manifest import BotDirectoryError
from arena.model.errors import HiddenError, RefusedError
from arena.rpc.errors import LoginError, UnreachableError
from arena.web.middleware.errors import status_of
from arena.web.middleware.response_headers import HEADERS
from arena.web.shared.rendering import STATIC
from arena.web.shared.visitor import LANGUAGE_COOKIE
from engine.errors import InvariantError, OptionsError, UnknownGameError
from ratings.errors import DatabaseFullError, LimitError, PlanError, SchemaVersionError

VENDORED = json.loads((STATIC / "vendor" / "vendor.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("path", ["/", "/nothing/here", "/static/css/base.css"])
def test_every_answer_has_the_headers_that_protect_it(client: TestClient, path: str) -> None:
    assert HEADERS.items() <= dict(client.get(path).headers).items()


def test_an_unknown_address_is_a_page_that_says_so(client: TestClient) -> None:
    answer = client.get("/nothing/here", headers={"accept-language": "de"})
    assert answer.status_code == 404
    assert "Hier ist nichts" in answer.text


def test_what_went_wrong_is_told_in_the_language_of_the_visitor(client: TestClient) -> None:
    page = client.get("/bots/gredy", headers={"accept-language": "de"})
    assert (page.status_code, "es gibt keinen Bot &#39;gredy&#39;; gemeint war vielleicht" in page.text) == (404, True)
    for language, said in {"fr": "il n\u2019y a pas de bot", "nl": "there is no bot"}.items():
        answer = client.get("/api/v1/bots/gredy", headers={"accept-language": language})
        assert answer.json()["error"]["message"].startswith(said)
    assert "Accept-Language" in answer.headers["vary"]


@pytest.mark.hostile("web-markup-as-text")
def test_what_a_visitor_wrote_is_nothing_but_text_in_every_language(client: TestClient) -> None:
    for language in ("en", "de", "fr", "it"):
        page = client.get("/bots/<script>alert(1)<\u200fscript>{why}", params={"lang": language})
        assert page.status_code in {400, 404}
        assert "<script>alert" not in page.text


def test_a_fault_of_ours_is_a_page_without_a_trace(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(_request: object) -> None:
        raise RuntimeError("the secret reason")

    monkeypatch.setattr("arena.web.pages.front.arena_of", fail)
    answer = TestClient(client.app, raise_server_exceptions=False).get("/")
    assert answer.status_code == 500
    assert "secret" not in answer.text
    assert "Traceback" not in answer.text
    assert answer.headers["content-security-policy"]


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (LookupError(), 500),
        (BotDirectoryError("/home/of/the/organiser"), 500),  # it names a place, and no visitor asks for a directory
        (InvariantError(), 500),
        (UnknownGameError(), 404),
        (OptionsError(), 400),
        (PlanError(), 409),
        (DatabaseFullError(), 507),
        (SchemaVersionError(), 503),
        (HiddenError(), 403),
        (RefusedError(), 400),
        (LoginError(), 403),
        (LimitError(), 429),
        (UnreachableError(), 503),
    ],
    ids=lambda value: type(value).__name__ if isinstance(value, Exception) else str(value),
)
def test_an_error_has_the_status_of_its_kind_if_it_is_for_visitors(error: Exception, status: int) -> None:
    assert status_of(error) == status


@pytest.mark.hostile("web-lead-elsewhere")
@pytest.mark.parametrize("back", ["https://elsewhere.example/", "//elsewhere.example", "/\\elsewhere.example", "x"])
def test_a_choice_leads_nowhere_else(client: TestClient, back: str) -> None:
    answer = client.post("/preferences", data={"back": back, "lang": "fr"}, follow_redirects=False)
    assert answer.headers["location"] == "/"
    assert f"{LANGUAGE_COOKIE}=fr" in answer.headers["set-cookie"]
    client.cookies.clear()


def test_vendored_files_are_what_their_authors_published() -> None:
    files = {file.name for file in (STATIC / "vendor").iterdir()} - {"vendor.json"}
    named = {name for entry in VENDORED for name in (*entry["files"], entry["licence_file"])}
    assert files == named
    for entry in VENDORED:
        for name, digest in entry["files"].items():
            assert hashlib.sha256((STATIC / "vendor" / name).read_bytes()).hexdigest() == digest


def test_no_page_names_another_host() -> None:
    for file in Path(STATIC).parent.rglob("*.html"):
        text = file.read_text(encoding="utf-8")
        assert "https://" not in text
        assert " style=" not in text
        assert "<script>" not in text
