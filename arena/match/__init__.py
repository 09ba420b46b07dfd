"""One match as values and a pure state machine. Sockets, tasks, clocks and files must never be in here."""
