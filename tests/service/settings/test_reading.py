"""Settings: who wins over whom, and what people are told who mistype one."""

import re
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.service.errors import SettingsError
from arena.service.settings import (
    TABLE,
    AdmissionSection,
    LimitsSection,
    RetentionSection,
    ServiceSection,
    SettingDefinition,
    WeightsSection,
    load_settings,
    setting_line,
    settings_template,
)
from tests.support.texts import CHARACTERS

TYPED: dict[str, Any] = {
    "service": ServiceSection,
    "weights": WeightsSection,
    "limits": LimitsSection,
    "admission": AdmissionSection,
    "retention": RetentionSection,
}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "settings.toml"


def said(file: Path, key: str, flags: dict[str, str], environ: dict[str, str]) -> tuple[Any, str]:
    (one,) = [one for one in load_settings(file, flags, environ).resolved if one.row.key == key]
    return one.value, one.origin


def problems(file: Path, text: str) -> tuple[str, ...]:
    file.write_text(text, encoding="utf-8")
    return load_settings(file, {}, {}).problems


def test_without_a_file_everything_has_its_default(file: Path) -> None:
    effective = load_settings(file, {}, {})
    assert effective.problems == ()
    assert {one.origin for one in effective.resolved} == {"default"}
    assert effective.values.service.workers == 0
    assert effective.values.service.leak_checks == 0.02
    assert effective.values.service.warm_memory is None


def test_a_flag_wins_over_the_environment_and_that_over_the_file_and_that_over_the_default(file: Path) -> None:
    key, flags, environ = "service.workers", {"service.workers": "3"}, {"ARENA_WORKERS": "2"}
    assert said(file, key, {}, {}) == (0, "default")
    file.write_text("[service]\nworkers = 1\n", encoding="utf-8")
    assert said(file, key, {}, {}) == (1, "settings.toml")
    assert said(file, key, {}, environ) == (2, "ARENA_WORKERS")
    assert said(file, key, {}, {"ARENA_WORKERS": ""}) == (1, "settings.toml")
    assert said(file, key, flags, environ) == (3, "--workers")
    assert said(file, "limits.versions", {"limits.versions": "7"}, {})[1] == "--set limits.versions"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("[service]\nworker = 1", "[service] there is no setting 'worker'; did you mean 'workers'?"),
        ("[servce]\nworkers = 1", "there is no section 'servce'; did you mean 'service'?"),
        ("workers = 1", "workers stands outside a section; move it below [service]"),
        (
            "[service]\nversions = 1",
            "[service] 'versions' is a setting of [limits]; write limits.versions or move it there",
        ),
        ("[service]\nworkers = 'two'", "[service] workers = 'two' is not a whole number, 0 to 256; the default is 0"),
        ("[service]\nremote_absence = 0", "remote_absence = 0 is not a number, 1 to 86400; the default is 45"),
        (
            "[limits]\nopen_challenges = -1",
            "open_challenges = -1 is not a whole number, 0 to 1000000000",
        ),
        ("[service]\nworkers = true", "workers = True is not a whole number"),
        ("[service]\nsandbox = 'loose'", "sandbox = 'loose' is not one of auto, strict, standard, reduced, none"),
        ("[service]\naddress = 'here'", "address = 'here' is not an address such as \"127.0.0.1:7733\""),
        ("[service]\nleak_checks = '200%'", "leak_checks = '200%' is not a percentage"),
        ("[weights]\nladder = 0", "[weights] ladder = 0 is not a number, 0.001 to 1000; the default is 2"),
        ("[service\n", "is not TOML"),
        ("service = 3", "service is a section; write [service] on a line of its own"),
        ("[runtimes]\nml = 3", "[runtimes] ml is no runtime; write [runtimes.ml]"),
    ],
)
def test_whoever_mistypes_a_setting_is_told_file_key_and_remedy(file: Path, text: str, expected: str) -> None:
    (problem,) = problems(file, text)
    assert problem.startswith(str(file))
    assert expected in problem


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("ARENA_WORKER", "did you mean ARENA_WORKERS?"),
        ("ARENA_SERVE_ADRESS", "did you mean ARENA_SERVE_ADDRESS?"),
        ("ARENA_LIMIT_VERSIONS", "did you mean ARENA_LIMITS_VERSIONS?"),
        ("ARENA_LIMITS_BOTS", "`arena serve --check` lists the settings"),
        ("ARENA_SERVICE_STOP", "`arena serve --check` lists the settings"),
    ],
)
def test_a_mistyped_variable_is_told_with_the_nearest_one(file: Path, name: str, expected: str) -> None:
    (problem,) = load_settings(file, {}, {name: "5"}).problems
    assert problem.startswith(f"{name} sets nothing; ")
    assert expected in problem


def test_variables_that_mean_something_else_are_left_alone(file: Path) -> None:
    others = {"ARENA_TOKEN": "x", "ARENA_BOT_DIR": "x", "ARENA_ADDRESS": "x", "ARENA_DB": "x", "ARENAS": "x"}
    assert load_settings(file, {}, others).problems == ()
    assert load_settings(file, {}, {"ARENA_RUNTIMES": "x", "ARENA_RUNTIMES_X": "x"}, ["ARENA_RUNTIMES"]).problems != ()
    assert load_settings(file, {}, {"ARENA_RUNTIMES": "x"}, ["ARENA_RUNTIMES"]).problems == ()


def test_every_problem_is_found_and_the_first_one_is_raised(file: Path) -> None:
    file.write_text("[service]\nworker = 1\n[limits]\nversions = -1\n", encoding="utf-8")
    effective = load_settings(file, {"weights.ladders": "1", "limits.stored_mb": "x"}, {"ARENA_SANDBOX": "loose"})
    assert len(effective.problems) == 5
    with pytest.raises(SettingsError, match="and 4 more"):
        _ = effective.values


def test_a_file_that_is_no_text_is_told(file: Path) -> None:
    file.write_bytes(b"\xff\xfe")
    (problem,) = load_settings(file, {}, {}).problems
    assert "not UTF-8" in problem


def test_runtimes_are_handed_on_as_they_are(file: Path) -> None:
    assert problems(file, '[runtimes.python-ml]\nkind = "python"\nvenv = "/opt/ml"\n') == ()
    assert load_settings(file, {}, {}).values.runtimes == {"python-ml": {"kind": "python", "venv": "/opt/ml"}}


def test_the_table_and_the_typed_settings_name_the_same() -> None:
    for section, kind in TYPED.items():
        assert [row.name for row in TABLE if row.section == section] == list(kind.model_fields)
    assert {row.section for row in TABLE} == set(TYPED)


def test_no_two_settings_share_a_variable_and_none_is_that_of_a_bot() -> None:
    variables = [row.variable for row in TABLE]
    assert len(set(variables)) == len(variables)
    assert not {"ARENA_ADDRESS", "ARENA_TOKEN", "ARENA_BOT_DIR", "ARENA_DB", "ARENA_SERVER"} & set(variables)


def test_the_template_changes_nothing_also_when_its_lines_are_switched_on(file: Path) -> None:
    assert problems(file, settings_template()) == ()
    switched_on = re.sub(r"^# (\w+ = )", r"\1", settings_template(), flags=re.MULTILINE)
    assert switched_on.count(" = ") >= len(TABLE)
    assert problems(file, re.sub(r"^(kind|venv) = .*", "", switched_on, flags=re.MULTILINE)) == ()
    assert load_settings(file, {}, {}).values == load_settings(file.with_name("none"), {}, {}).values


def test_every_default_can_be_said_in_the_file_and_in_the_environment(file: Path) -> None:
    for row in TABLE:
        default = row.default
        assert problems(file, f"[{row.section}]\n{setting_line(row)}\n") == (), row.key
        assert said(file, row.key, {}, {}) == (default, "settings.toml"), row.key
        text = row.format(default).strip('"[]')
        if text:
            assert said(file, row.key, {}, {row.variable: text}) == (default, row.variable), row.key


@given(text=st.text(CHARACTERS, max_size=40))
def test_no_text_makes_reading_fail(tmp_path_factory: pytest.TempPathFactory, text: str) -> None:
    file = tmp_path_factory.getbasetemp() / "any.toml"
    file.write_text(text, encoding="utf-8")
    load_settings(file, {row.key: text for row in TABLE}, {row.variable: text for row in TABLE})


def test_every_setting_stands_in_the_document_with_default_variable_and_help() -> None:
    document = (Path(__file__).parents[3] / "docs/deploy.md").read_text(encoding="utf-8")

    def line(row: SettingDefinition) -> str:
        return f"- **`{row.key}`** (`{row.variable}`), default `{row.format(row.default)}`: {row.help}\n"

    assert [line(row) for row in TABLE if line(row) not in document] == []
