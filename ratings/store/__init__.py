"""The database: tables, schema, the two dialects, and what reading and writing both need. No reports, no ratings."""
