"""The API: it answers in JSON what the pages show, says plainly what is wrong, and lets no address take all."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import httpx2
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from arena.i18n.catalogue import LANGUAGES
from arena.web.api.bots import draw_badge
from arena.web.api.openapi import document_of
from arena.web.app import make_app, open_site
from arena.web.middleware.rate_limits import TokenBuckets, limited_address
from tests.support.patience import PATIENCE_S
from tests.support.web_pages import served

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


@pytest.fixture(scope="module")
def pool(client: TestClient) -> str:
    """The pool of matches of The Foreign King with two seats."""
    found: str = get(client, "/leaderboards?game=foreign_king&seats=2")["boards"][0]["pool"]["pool_id"]
    return found


def test_bots_are_searched_by_a_part_of_their_name(client: TestClient) -> None:
    assert [bot["name"] for bot in get(client, "/bots?name=REE")["items"]] == ["greedy"]
    assert get(client, "/bots?name=nobody")["items"] == []


def test_a_leaderboard_is_sorted_and_narrowed_with_what_its_lines_show(client: TestClient, pool: str) -> None:
    board = get(client, f"/pools/{pool}/leaderboard?sort=bot&limit=2")
    names = [line["row"]["bot"] for line in board["items"]]
    more = get(client, f"/pools/{pool}/leaderboard?sort=bot&limit=2&after={board['next']}")
    assert names + [line["row"]["bot"] for line in more["items"]] == ["first", "greedy", "random"]
    (line,) = get(client, f"/pools/{pool}/leaderboard?name=greed")["items"]
    assert line["form"]["ratings"][-1] == line["row"]["exposure"]
    assert line["form"]["faults"] == 0
    assert get(client, f"/pools/{pool}/leaderboard?owner=nobody")["items"] == []
    assert client.get(f"{API}/pools/{pool}/leaderboard?sort=taste").status_code == 400


def test_a_bot_has_its_places_and_its_record_in_a_pool(client: TestClient, pool: str) -> None:
    places = get(client, "/bots/greedy/standings")
    (place,) = [one for one in places if one["pool"]["pool_id"] == pool]
    record = get(client, f"/bots/greedy@{place['content_hash']}/record?pool={pool}")
    assert record["curve"][-1] == {key: place[key] for key in ("matches", "mu", "sigma")}
    assert {one["bot"] for one in record["opponents"]} == {"first", "random"}
    assert sum(seat["matches"] for seat in record["seats"]) == place["matches"]
    assert record["faults"] == []


def test_a_match_is_told_in_words_and_checked(client: TestClient) -> None:
    match = get(client, "/matches?tournament=cup&limit=1")["items"][0]
    story = client.get(f"{API}/matches/{match['id']}/story", params={"lang": "de"})
    assert story.headers["etag"]
    told = story.json()
    assert told["language"] == "de"
    assert len(told["frames"]) == match["plies"] + 1
    assert told == client.get(f"/matches/{match['id']}/frames.json?lang=de").json()
    plain = client.get(f"{API}/matches/{match['id']}/story?lang=de", headers={"accept-encoding": "identity"})
    assert plain.json() == told
    assert get(client, f"/matches/{match['id']}/check") == {
        "match_id": match["id"],
        "problems": [],
        "removed_at_us": None,
    }


def test_comparisons_are_listed_and_nothing_else_has_a_walk(client: TestClient) -> None:
    assert get(client, "/comparisons?new=greedy&old=random") == []
    answer = client.get(f"{API}/comparisons/cup/walk")
    assert answer.status_code == 400
    assert "cup" in answer.json()["error"]["message"]


ATOM = "{http://www.w3.org/2005/Atom}"


def test_the_feed_tells_who_won_and_who_leads(client: TestClient) -> None:
    answer = client.get("/feed.atom", headers={"accept-language": "en"})
    assert answer.headers["content-type"].startswith("application/atom+xml")
    feed = ElementTree.fromstring(answer.content)
    assert feed.tag == f"{ATOM}feed"
    entries = feed.findall(f"{ATOM}entry")
    titles = [entry.findtext(f"{ATOM}title") or "" for entry in entries]
    assert any("wins cup" in title for title in titles)
    assert any("leads in Rex Romanorum" in title for title in titles)
    ids = [entry.findtext(f"{ATOM}id") for entry in entries]
    assert len(ids) == len(set(ids))
    for part in (feed, *entries):
        assert part.findtext(f"{ATOM}updated", "").endswith("Z")
        assert part.findtext(f"{ATOM}title")
        for link in part.findall(f"{ATOM}link"):
            assert link.attrib["href"].startswith("http://testserver/")


def test_the_pages_name_the_feed(client: TestClient) -> None:
    assert 'type="application/atom+xml" href="/feed.atom"' in client.get("/").text


def test_a_badge_tells_the_rank_of_a_bot(client: TestClient) -> None:
    answer = client.get("/bots/greedy/badge.svg")
    assert answer.status_code == 200
    assert answer.headers["content-type"].startswith("image/svg+xml")
    assert "max-age" in answer.headers["cache-control"]
    assert answer.headers["cross-origin-resource-policy"] == "cross-origin"
    assert "#" in ElementTree.fromstring(answer.content).attrib["aria-label"]
    assert client.get("/bots/nobody/badge.svg").status_code == 404
    assert client.get("/bots/greedy/badge.svg?pool=zz").status_code == 404


def test_a_badge_is_a_picture_whatever_the_bot_is_called() -> None:
    picture = draw_badge('ann/<script>alert("&")</script>\u0000', "#1")
    root = ElementTree.fromstring(picture)
    assert [one.tag for one in root.iter() if "script" in one.tag] == []
    assert "<script>" in root.attrib["aria-label"]


@pytest.mark.hostile("web-flood-of-requests")
def test_an_address_that_asks_too_much_is_told_when_it_may_ask_again(far: TestClient, app: FastAPI) -> None:
    answers = [far.get(path) for path in ("/", "/api/v1/bots", "/", "/", "/api/v1/bots")]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429, 429]
    assert "text/html" in answers[3].headers["content-type"]
    assert answers[4].json()["error"]["status"] == 429
    assert answers[4].headers["access-control-allow-origin"] == "*"
    assert all(1 <= int(answer.headers["retry-after"]) <= 100 for answer in answers[3:])
    assert all("content-security-policy" in answer.headers for answer in answers)
    assert far.get("/static/css/base.css").status_code == 200
    assert TestClient(app, client=("203.0.113.8", 1)).get("/").status_code == 200
    assert [TestClient(app, client=("127.0.0.1", 1)).get("/").status_code for _ in range(5)] == [200] * 5


def test_a_bucket_fills_up_again_steadily_but_not_beyond_its_size() -> None:
    now = [0.0]
    buckets = TokenBuckets(2.0, 3, clock=lambda: now[0])
    assert [buckets.take("a") for _ in range(4)] == [0, 0, 0, 0.5]
    now[0] = 0.5
    assert [buckets.take("a") for _ in range(2)] == [0, 0.5]
    now[0] = 1000.0
    assert [buckets.take("a") for _ in range(4)] == [0, 0, 0, 0.5]


@pytest.mark.parametrize(
    ("peer", "address"),
    [
        ("203.0.113.7", "203.0.113.7"),
        ("127.0.0.1", None),
        ("::1", None),
        ("", None),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("::ffff:203.0.113.7", "203.0.113.7"),
        ("::ffff:127.0.0.1", None),
    ],
)
def test_an_address_of_ipv6_counts_with_its_network_and_this_machine_does_not_count(
    peer: str, address: str | None
) -> None:
    assert limited_address(peer) == address


def test_a_proxy_on_this_machine_asks_for_whom_it_names(played: Path) -> None:
    with open_site(str(played)) as site:
        few = make_app(replace(site, requests_per_second=0.01, requests_at_once=1))
        with served(few) as address:
            for visitor, status in (("203.0.113.9", 200), ("203.0.113.9", 429), ("203.0.113.10", 200)):
                asked_for = {"x-forwarded-for": visitor}
                answer = httpx2.get(f"{address}/api/v1/games", headers=asked_for, timeout=PATIENCE_S)
                assert answer.status_code == status


@pytest.fixture(scope="module")
def app(played: Path) -> Iterator[FastAPI]:
    with open_site(str(played)) as site:
        yield make_app(replace(site, requests_per_second=0.01, requests_at_once=3))


@pytest.fixture(scope="module")
def far(app: FastAPI) -> TestClient:
    """Asks from another machine, which may ask three times."""
    return TestClient(app, client=("203.0.113.7", 4000))
