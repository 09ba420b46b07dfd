"""What Pydantic says of a value that does not fit, as a text that can be translated: by its type and its context."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from engine.text import Text


def validation_text(error: Mapping[str, Any]) -> str:
    """Return the text of one of the errors that Pydantic lists; its own words if the text is not known."""
    message = str(error["msg"])
    text = _text_of(str(error["type"]), error.get("ctx") or {})
    return text if text is not None and text == message else message


def _text_of(kind: str, context: Mapping[str, Any]) -> Text | None:
    match kind, context:
        case "int_parsing", _:
            return Text(
                "system.input_should_valid_integer_unable",
                "Input should be a valid integer, unable to parse string as an integer",
            )
        case "float_parsing", _:
            return Text(
                "system.input_should_valid_number_unable",
                "Input should be a valid number, unable to parse string as a number",
            )
        case "greater_than_equal", {"ge": least}:
            return Text(
                "system.input_should_greater_than_equal",
                "Input should be greater than or equal to {least}",
                least=_figure(least),
            )
        case "greater_than", {"gt": least}:
            return Text(
                "system.input_should_greater_than", "Input should be greater than {least}", least=_figure(least)
            )
        case "less_than_equal", {"le": most}:
            return Text(
                "system.input_should_less_than_equal",
                "Input should be less than or equal to {most}",
                most=_figure(most),
            )
        case (("literal_error" | "enum"), {"expected": known}):
            return Text("system.input_should", "Input should be {known}", known=known)
    return None


def _figure(number: object) -> str:
    """Return a bound as Pydantic writes it: a whole number has no point, whatever its type."""
    return str(number).removesuffix(".0")
