"""What the figures of docs/measured.md come from; each file runs with one command. No test imports anything here."""
