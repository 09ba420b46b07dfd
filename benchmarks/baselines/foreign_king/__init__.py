"""How the sample bots of November 2026 valued The Foreign King."""
