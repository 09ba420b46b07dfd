"""Models and tests over plain values. No SQL and no session."""
