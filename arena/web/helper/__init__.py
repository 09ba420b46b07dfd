"""What takes a page long is done by a process of its own, so that no other page waits for it. No page is made here."""
