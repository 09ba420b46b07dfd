"""Do two bots help one another? Residuals of pairs against the official model: see `pairs.suspicious_pairs`."""
