"""The arena in a browser: pages that are made here, live streams, seats for people. See docs/architecture.md."""
