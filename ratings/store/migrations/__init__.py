"""Alembic's migrations, the only way to a schema. Each stays as it was when it was released."""
