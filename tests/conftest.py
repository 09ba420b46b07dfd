"""What holds for all tests: a machine may be slow, and the same commit passes or fails every time."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "arena", deadline=None, derandomize=True, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large]
)
settings.load_profile("arena")
