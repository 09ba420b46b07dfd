"""The database itself: tables, dialects, schema and migrations. No rule of what is planned, recorded or rated."""
