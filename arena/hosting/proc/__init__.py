"""Every reader of /proc: who belongs to whom, what processes used, and how long they waited."""
