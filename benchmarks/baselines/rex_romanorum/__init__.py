"""How the sample bots of November 2026 valued Rex Romanorum, and played it without much thought."""
