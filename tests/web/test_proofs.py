"""The file that pages give out of a tournament, and the page on which a browser checks it."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from arena.app.proof_checks import check_proof
from arena.app.verification import import_verified
from arena.match.replay import load
from arena.tournament.seed_key import SeedKey
from ratings.ledger.proof import RESULTS
from ratings.store.database import open_database
from ratings.values.states import no_progress
from tests.cli.support import Arena
from tests.support import exports
from tests.support.browsing import Watched, expect
from tests.support.web_pages import pages_of

CUP = "swiss"


def fetched(client: TestClient, tournament: str, target: Path) -> Path:
    answer = client.get(f"/tournaments/{tournament}/tournament.arena")
    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"
    target.write_bytes(answer.content)
    return target


def test_what_pages_give_out_is_proved_and_can_be_imported(client: TestClient, tmp_path: Path) -> None:
    file = fetched(client, CUP, tmp_path / "swiss.arena")
    assert check_proof(file).holds
    database = open_database(tmp_path / "other.db")
    imported, verified = import_verified(database, file, name=None, digest=None, report=no_progress)
    database.close()
    assert imported.is_public
    assert verified.matches == imported.matches


def test_evidence_is_withheld_and_the_rest_is_proved(client: TestClient, tmp_path: Path) -> None:
    name = next(one["name"] for one in client.get("/api/v1/tournaments").json()["items"] if one["format"] == "match")
    file = fetched(client, name, tmp_path / "one.arena")
    records = exports.records_of(file)
    (fault,) = exports.rows(records, "fault")
    assert fault["evidence"] == {}
    document = load(base64.b64decode(exports.rows(records, "replay")[0]["data"]))
    assert [one["evidence"] for one in document["result"]["faults"]] == [{}]
    assert all(row["worker"] == "" for row in exports.rows(records, "attempt"))
    assert all("command" not in row["manifest"] for row in exports.rows(records, "version"))
    report = check_proof(file)
    assert report.holds
    assert report.replayed.withheld == 1


def test_a_file_that_cannot_be_given_out_is_refused(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    assert client.get("/tournaments/nothing/tournament.arena").status_code == 404
    monkeypatch.setattr("arena.app.page_queries.MOST_EXPORTED", 1)
    answer = client.get(f"/tournaments/{CUP}/tournament.arena")
    assert answer.status_code in (400, 409)
    assert "ask its organiser for the file" in answer.text


def test_the_command_checks_what_an_address_gives(played: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pages_of(played) as address:
        arena, file = Arena(played, capsys), f"{address}/tournaments/{CUP}/tournament.arena"
        finished = arena("verify", file, "--json")
        assert finished.code == 0
        assert finished.json["holds"] is True
        shown = arena("tournament", "show", CUP, "--db", played, "--json").json
        assert shown["commitment"]["digest"] == finished.json["commitment"]
        assert arena("verify", file, "--commitment", shown["commitment"]["digest"]).code == 0
        assert arena("verify", file, "--commitment", "0" * 64).code == 1


def states(page: Watched) -> list[str]:
    """What became of each part that the page checks."""
    expect(page.page.locator("[data-part=verdict][data-ready]")).to_be_visible()
    found: list[str] = page.page.eval_on_selector_all(
        "[data-part=checks] li", "items => items.map(item => item.dataset.state)"
    )
    return found


@pytest.mark.needs("browser")
def test_a_browser_checks_the_tournament_of_a_page(address: str, page: Watched) -> None:
    page.page.goto(f"{address}/tournaments/{CUP}")
    page.page.locator("summary", has_text="Settings").click()
    page.page.get_by_role("link", name="Check this tournament").click()
    page.page.get_by_role("button", name="Check swiss").click()
    assert states(page) == ["ok"] * 9
    expect(page.page.get_by_text("Everything that this page checks holds.")).to_be_visible()
    assert page.serious_findings() == []
    assert page.overflows() == 0


Change = Callable[[exports.Records], exports.Records]


def dropped(records: exports.Records) -> exports.Records:
    match = exports.rows(records, "match")[0]["id"]
    return exports.drop(records, lambda _, row: isinstance(row, dict) and match in (row.get("id"), row.get("match_id")))


def forged(records: exports.Records) -> exports.Records:
    row = exports.rows(records, "proof_entry")[1]
    row["signature"] = f"{int(row['signature'], 16) ^ 1:0128x}"
    return records


def reseated(records: exports.Records) -> exports.Records:
    first, second = exports.rows(records, "match_seat")[:2]
    first["version_id"], second["version_id"] = second["version_id"], first["version_id"]
    return records


def other_secret(records: exports.Records) -> exports.Records:
    exports.rows(records, "tournament")[0]["secret"] = "5e" * 32
    return records


def other_chance(records: exports.Records) -> exports.Records:
    exports.rows(records, "block")[0]["chance_seed"] += 1
    return records


def other_rank(records: exports.Records) -> exports.Records:
    exports.rows(records, "match_seat")[0]["rank"] += 1
    return records


def other_replay(records: exports.Records) -> exports.Records:
    first, second = exports.rows(records, "replay")[:2]
    first["data"], second["data"] = second["data"], first["data"]
    return records


@pytest.mark.needs("browser")
@pytest.mark.parametrize(
    ("change", "place", "message"),
    [
        (forged, 1, "the signature of entry 1 is forged"),
        (other_secret, 3, "it is another one"),
        (dropped, 4, "is missing"),
        (reseated, 5, "wave 0 is another one"),
        (other_rank, 6, "has another result"),
        (other_chance, 7, "has another seed"),
        (other_replay, 8, "is another one"),
    ],
)
def test_a_browser_names_what_was_tampered_with(
    address: str, client: TestClient, page: Watched, tmp_path: Path, change: Change, place: int, message: str
) -> None:
    records = exports.records_of(fetched(client, CUP, tmp_path / "honest.arena"))
    target = exports.write(tmp_path / "tampered.arena", change(records))
    page.page.goto(f"{address}/verify")
    page.page.set_input_files("input[type=file]", target)
    found = states(page)
    assert found[:place] == ["ok"] * place
    assert set(found[place:9]) <= {"failed", "skipped"}
    assert found[place] == "failed"
    expect(page.page.locator("li[data-state=failed]").first).to_contain_text(message)
    expect(page.page.get_by_text("Not everything holds.")).to_be_visible()


@pytest.mark.needs("browser")
def test_a_browser_finds_a_match_that_was_played_twice_and_a_flipped_byte(
    address: str, client: TestClient, page: Watched, played: Path, tmp_path: Path
) -> None:
    records = exports.records_of(fetched(client, CUP, tmp_path / "honest.arena"))
    entries: list[dict[str, Any]] = exports.log_of(records)
    again = json.loads(json.dumps(next(entry for entry in entries if entry["kind"] == RESULTS)))
    entries.insert(-1, again)
    twice = exports.sign_anew(records, entries, SeedKey.beside(played.with_suffix(".bots")).signing_key())
    page.page.goto(f"{address}/verify")
    page.page.set_input_files("input[type=file]", exports.write(tmp_path / "twice.arena", twice))
    assert states(page)[4] == "failed"
    expect(page.page.locator("li[data-state=failed]").first).to_contain_text("was played twice")
    flipped = (tmp_path / "honest.arena").read_text("ascii").replace('"rank":1', '"rank":3', 1)
    drop = """text => {
      const data = new DataTransfer();
      data.items.add(new File([text], "flipped.arena"));
      return data;
    }"""
    page.page.dispatch_event("form", "drop", {"dataTransfer": page.page.evaluate_handle(drop, flipped)})
    expect(page.page.locator("li[data-state=failed]")).to_contain_text("was changed")
