"""The greedy and the searching sample bot of November 2026 and their evaluations, as they were: never change them."""
