"""What the disk will hold in a year: measured where there is something to measure, documented otherwise."""

from pathlib import Path

from arena.service.home import make_home
from arena.service.life import forecast as module
from arena.service.life.forecast import DAYS, DOCUMENTED_BYTES_A_MATCH, FEWEST_TO_TELL, Forecast, forecast
from ratings.read.volume import Volume

ROOT = Path(__file__).resolve().parents[3]


def test_a_database_with_many_matches_tells_what_one_takes_and_how_many_there_are_a_day(tmp_path: Path) -> None:
    home = make_home(tmp_path, "")
    home.database.write_bytes(b"x" * 1000 * FEWEST_TO_TELL)
    (home.store / "bot").write_bytes(b"x" * 77)
    found = forecast(home, Volume(FEWEST_TO_TELL, 10), [500, 100])
    assert (found.bytes_a_match, found.is_measured, found.matches_a_day, found.most_a_day) == (1000, True, 10, 600)
    assert found.in_a_year_bytes == 1000 * FEWEST_TO_TELL + DAYS * 10 * 1000
    assert found.archives_bytes == 77


def test_before_there_is_anything_to_measure_the_paces_and_the_documented_figure_count(tmp_path: Path) -> None:
    found = forecast(make_home(tmp_path, ""), Volume(0, 0), [500, 100])
    assert found.in_a_year_bytes == DAYS * 600 * DOCUMENTED_BYTES_A_MATCH
    assert forecast(make_home(tmp_path, ""), Volume(0, 0), [500, 0]).most_a_day is None


def test_whoever_runs_out_of_disk_is_told_what_to_do() -> None:
    full = Forecast(0, 0, 10, 1000, True, 1, None)
    assert "more than is free: lower matches_per_day" in full.lines()[-1]
    assert "more than is free" not in Forecast(0, 0, 10**9, 1000, True, 1, None).lines()[-1]


def test_the_documented_figure_stands_in_the_document() -> None:
    text = (ROOT / "docs/deploy.md").read_text(encoding="utf-8")
    assert f"about {module.DOCUMENTED_BYTES_A_MATCH // 1024} KB" in text
