"""Whether two bots help one another, seen in the residuals of the official model. No I/O."""
