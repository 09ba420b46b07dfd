"""Everything that writes facts or ratings: planning, leasing, recording, live rating, rebuild, check."""
