"""What several tests need: scripted bots, places, processes. No test lies here."""
