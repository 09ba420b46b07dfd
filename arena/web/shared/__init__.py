"""What every page is made with: the site, the visitor's choices, words and figures, templates. No page is made here."""
