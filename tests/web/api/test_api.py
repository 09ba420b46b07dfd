"""The API answers in JSON what the pages show, page by page, and says plainly what is wrong with a request."""

from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from arena.i18n.catalogue import LANGUAGES
from arena.web.api.document import document_of

API = "/api/v1"
NAMES = {"bot": "greedy", "tournament": "cup", "game": "foreign_king"}


@pytest.fixture(scope="module")
def names(client: TestClient) -> dict[str, str]:
    """A name that exists for each parameter of a path."""
    match = client.get(f"{API}/matches?tournament=rome&limit=1").json()["items"][0]["id"]
    boards = client.get(f"{API}/leaderboards?game=rex_romanorum").json()["boards"]
    return {**NAMES, "match": match, "pool": boards[0]["pool"]["pool_id"]}


def get(client: TestClient, path: str, status: int = 200) -> Any:
    answer = client.get(f"{API}{path}")
    assert answer.status_code == status, answer.text
    return answer.json()


def test_every_call_answers(client: TestClient, app: FastAPI, names: dict[str, str]) -> None:
    for path in document_of(app)["paths"]:
        if "{ladder}" in path or "{comparison}" in path or path.endswith("/events"):
            continue  # there is no ladder and no comparison; what happened to a bot is told its owner
        query = f"?pool={names['pool']}" if path.endswith(("/history", "/opponents", "/seats")) else ""
        query = "" if "/pools/" in path or "/tournaments/" in path else query
        answer = client.get(path.format(**names) + query)
        assert answer.status_code == 200, (path, answer.text)
        assert answer.headers["access-control-allow-origin"] == "*"


def test_lists_go_on_after_their_cursor(client: TestClient) -> None:
    found: list[str] = []
    after = ""
    while True:
        page = get(client, f"/matches?tournament=three&limit=2{after}")
        found += [row["id"] for row in page["items"]]
        if page["next"] is None:
            break
        after = f"&after={page['next']}"
    assert found == [row["id"] for row in get(client, "/matches?tournament=three&limit=500")["items"]]
    assert len(found) > 2


def test_matches_are_searched_by_opponent_result_and_length(client: TestClient) -> None:
    won = get(client, "/matches?bot=greedy&opponent=random&fared=won")["items"]
    lost = get(client, "/matches?bot=greedy&opponent=random&fared=lost")["items"]
    met = get(client, "/matches?bot=greedy&opponent=random")["items"]
    assert {row["id"] for row in met} == {row["id"] for row in won} | {row["id"] for row in lost}
    for row in won:
        assert 1 in [seat["rank"] for seat in row["seats"] if seat["bot"] == "greedy"]
    longest = max(row["plies"] for row in met)
    assert get(client, f"/matches?least_plies={longest + 1}&bot=greedy&opponent=random")["items"] == []


def test_a_replay_is_the_document_that_was_stored(client: TestClient, names: dict[str, str]) -> None:
    replay = get(client, f"/matches/{names['match']}/replay")
    assert replay["format"] == "arena.replay"
    assert replay["match_id"] == names["match"]


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/bots/nobody", 404),
        ("/tournaments/none", 404),
        ("/matches/none", 404),
        ("/matches?state=sleeping", 400),
        ("/matches?limit=100000", 400),
        ("/matches?after=broken", 400),
        ("/matches?opponent=greedy", 400),
        ("/matches?least_plies=99999999999999999999", 400),
        ("/tournaments?after=eyJ9", 400),
        ("/bots/greedy%00", 400),
        ("/bots?after=%FF%FE", 400),
        ("/bots/" + "x" * 300, 400),
        ("/bots/" + "x" * 9000, 414),
        ("/games/chess", 404),
        ("/ladders/none/seasons/1", 404),
        ("/bots/greedy/events", 403),
        ("/pools/zz/official", 404),
        ("/nothing", 404),
    ],
)
def test_what_cannot_be_answered_is_told_in_json(client: TestClient, path: str, status: int) -> None:
    answer = client.get(f"{API}{path}")
    assert answer.status_code == status
    assert answer.headers["content-type"] == "application/problem+json"
    error = answer.json()["error"]
    assert error["status"] == status
    assert error["message"]
    assert "Traceback" not in answer.text


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize(
    ("path", "remedy"),
    [
        ("/bots/nobody", "/api/v1/bots"),
        ("/matches/none", "/api/v1/matches"),
        ("/tournaments/none", "/api/v1/tournaments"),
        ("/ladders/none", "/api/v1/ladders"),
        ("/games/chess", ""),
        ("/nothing", "/api/v1/openapi.json"),
        ("/bots/greedy/nothing", "/api/v1/bots"),
    ],
)
def test_a_remedy_is_an_address_and_no_command(client: TestClient, path: str, remedy: str, language: str) -> None:
    message = client.get(f"{API}{path}", headers={"accept-language": language}).json()["error"]["message"]
    assert remedy in message
    assert "arena " not in message


def test_what_is_known_already_is_not_sent_again(client: TestClient) -> None:
    first = client.get(f"{API}/bots")
    again = client.get(f"{API}/bots", headers={"if-none-match": f'"other", {first.headers["etag"]}'})
    assert (again.status_code, again.content) == (304, b"")
    assert again.headers["etag"] == first.headers["etag"]
    assert client.get(f"{API}/bots", headers={"if-none-match": '"other"'}).status_code == 200


def test_the_page_for_people_names_every_call(client: TestClient, app: FastAPI) -> None:
    page = client.get(API, headers={"accept-language": "it"}).text
    assert 'lang="it"' in page
    for path in document_of(app)["paths"]:
        assert path in page


@pytest.mark.needs("schemathesis")
def test_the_api_keeps_to_its_own_openapi_whatever_is_asked(client: TestClient, app: FastAPI) -> None:
    from tests.support.api_fuzzing import fuzz_api

    pool = get(client, "/leaderboards")["boards"][0]["pool"]["pool_id"]
    match = get(client, "/matches?limit=1")["items"][0]["id"]
    known = {name: [value] for name, value in NAMES.items()} | {"pool": [pool], "match": [match]}
    assert fuzz_api(app, known, examples=2) > 50
