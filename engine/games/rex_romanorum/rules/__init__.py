"""The rules by phase group, as plain functions of a state, and their table in `phases`. Nothing here knows the wire."""
