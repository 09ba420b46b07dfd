"""One set of match slots, shared by weights among everything that a service plays. No database."""
