"""The one source from which matches are told: words, pictures, clocks and values, ply by ply, live or from a replay.

No I/O; it knows neither database nor service.
"""
