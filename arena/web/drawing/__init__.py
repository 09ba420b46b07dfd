"""What pages draw as SVG: the marks of bots, charts. Pure functions; texts are escaped here."""
