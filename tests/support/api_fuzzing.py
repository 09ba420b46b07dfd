"""Asks the API whatever its own OpenAPI allows, and things that it does not allow; nothing may break."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.checks import not_a_server_error
from schemathesis.generation import GenerationMode
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
HEALTH = (HealthCheck.too_slow, HealthCheck.filter_too_much, HealthCheck.data_too_large)


def fuzz_api(app: FastAPI, known: Mapping[str, list[str]], examples: int) -> int:
    """Send that many requests to each call, and return how many were sent.

    `known` has names that exist by the name of the parameter: half of the requests have one, and so get further.
    """
    schema = schemathesis.openapi.from_asgi("/api/v1/openapi.json", app)
    sent = 0
    for found in schema.get_all_operations():
        sent += _fuzz(found, known, examples)
    return sent


def _fuzz(found: Any, known: Mapping[str, list[str]], examples: int) -> int:
    operation = found.ok()
    sent = 0
    modes = [GenerationMode.POSITIVE, GenerationMode.NEGATIVE]
    cases = st.one_of(*(operation.as_strategy(generation_mode=mode) for mode in modes))

    @settings(
        max_examples=examples,
        derandomize=True,
        deadline=None,
        database=None,
        phases=(Phase.generate,),
        suppress_health_check=HEALTH,
    )
    @given(cases, st.data())
    def ask(case: Any, data: st.DataObject) -> None:
        nonlocal sent
        for part in (case.path_parameters, case.query):
            for name in set(part or {}) & known.keys():
                if data.draw(st.booleans()):
                    part[name] = data.draw(st.sampled_from(known[name]))
        case.call_and_validate(checks=CHECKS)
        sent += 1

    ask()
    return sent
