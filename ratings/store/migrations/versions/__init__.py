"""One file for each revision of the schema. Nothing imports them but Alembic."""
