"""The official tables that pages show, fitted in the background by a process of its own. No page is made here."""
