"""What all tables share: their registry, the names of their keys and indexes, and how enumerations are stored."""

from __future__ import annotations

import enum
import re
from typing import Any

from sqlalchemy import Enum as EnumType
from sqlalchemy import MetaData
from sqlalchemy.orm import declared_attr, registry
from sqlmodel import SQLModel

from engine.text import parts_of

_NAMING = {
    "ix": "ix_%(table_name)s_%(column_0_N_name)s",
    "uq": "uq_%(table_name)s_%(column_0_N_name)s",
    "fk": "fk_%(table_name)s_%(column_0_N_name)s_%(referred_table_name)s",
    "pk": "pk_%(table_name)s",
}


def text_of(kind: type[enum.StrEnum]) -> Any:
    """Return the column type that stores an enumeration as the text of its values."""
    return EnumType(kind, native_enum=False, length=16, values_callable=lambda k: [member.value for member in k])


def with_text(column: str, sentence: str | None) -> dict[str, Any]:
    """Return the values of the column of a sentence, and of the one beside it that says which text it is."""
    return {column: sentence, f"{column}_text": parts_of(sentence)}


class Table(SQLModel, registry=registry(metadata=MetaData(naming_convention=_NAMING))):
    """The root of all tables; their metadata is this package's own, apart from other users of SQLModel."""

    # Rows are not validated (SQLModel leaves that out for tables), so nothing is built for it before somebody asks.
    model_config = {"defer_build": True}

    @declared_attr.directive
    def __tablename__(cls) -> str:  # noqa: N805 - SQLAlchemy calls it on the class
        return re.sub(r"(?<!^)(?=[A-Z])", "_", cls.__name__.removesuffix("Record")).lower()
