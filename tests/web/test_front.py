"""The front page, without a browser."""

import re
from pathlib import Path

from fastapi.testclient import TestClient

from arena.app.policy import Viewer
from arena.model.tournaments import SINGLE_MATCH
from arena.web.app import make_app
from arena.web.pages import front
from arena.web.shared.site import Site
from ratings.ledger.ledger import Ledger
from ratings.ledger.service import ServiceLedger
from ratings.values.states import Scope
from tests.app.world import SEATS, World, circle, fresh_world
from tests.ratings import book


def test_the_last_positions_of_different_tournaments_are_shown_where_nothing_is_played(client: TestClient) -> None:
    page = client.get("/").text
    pictures = re.findall(r'<img src="(/matches/([^/]+)/board.svg[^"]+)"', page)
    assert len(pictures) == 4
    tournaments = {client.get(f"/api/v1/matches/{match}").json()["tournament"] for _, match in pictures}
    assert len(tournaments) == 4
    address, match = pictures[0]
    picture = client.get(address.replace("&amp;", "&"))
    assert "immutable" in picture.headers["cache-control"]
    last = client.get(f"/api/v1/matches/{match}").json()["plies"]
    assert picture.text == client.get(f"/matches/{match}/board.svg?ply={last}").text


def test_each_board_names_who_played_by_rank(client: TestClient) -> None:
    card = client.get("/").text.partition('class="players"')[2].partition("</p>")[0]
    assert re.findall(r">(\d)\.<", card) == sorted(re.findall(r">(\d)\.<", card))
    assert 'class="first"' in card


def test_the_newest_versions_and_their_admission_are_told_but_no_seats_of_people(tmp_path: Path) -> None:
    with fresh_world(tmp_path, {0}, game="rex_romanorum") as made:
        ledger, service = Ledger(made.database), ServiceLedger(made.database)
        service.ensure_people()
        for number, (owner, bot) in enumerate((("ann", "fox"), ("ben", "owl"), ("ann", "elk"), ("people", "guest-1"))):
            version, _ = ledger.add_version(bot=bot, owner=owner, content_hash=f"new{number}", manifest={})
            service.request_admission(version.id)
        taken = service.take_admission()
        assert taken is not None
        service.finish_admission(taken.admission.id, is_admitted=False, summary="It does not start.", findings=[])
        page = TestClient(make_app(Site(made.asked_by(Viewer(Scope.VIEWER))))).get("/").text
        told = re.findall(
            r'<a class="bot"[^>]*href="/bots/([^"]+)".*?<span class="tag[^>]*>([^<]+)<',
            page.partition("Newest versions</h2>")[2],
        )
        assert told == [
            ("ann/elk", "waiting"),
            ("ben/owl", "waiting"),
            ("ann/fox", "refused"),
            ("dog", "plays"),
            ("cat", "plays"),
            ("ben/owl", "not admitted yet"),
        ]


def test_running_tournaments_are_told_and_no_tables_of_people(tmp_path: Path) -> None:
    with fresh_world(tmp_path, {0}, game="rex_romanorum") as made:
        versions = [found.version.id for found in book.active_versions(made.database)][:SEATS]
        for number in range(front._TOURNAMENTS):
            book.create(
                made.database, versions, SEATS, blocks=circle(versions)[:1], name=f"table-{number}", format=SINGLE_MATCH
            )
        told = front_of(made).partition("Running tournaments</h2>")[2].partition("</section>")[0]
        assert re.findall(r'href="/tournaments/[^"]+">([^<]+)<', told) == ["rex"]
        made.play_on(set(range(8)) - {0})
        assert "Running tournaments" not in front_of(made)


def front_of(made: World) -> str:
    """The front page as it is read now: pages that are up already keep it for a moment."""
    return TestClient(make_app(Site(made.asked_by(Viewer(Scope.VIEWER))))).get("/").text
