from tests.analytics.exporting.test_round_trip import bring_in, fresh_copy

__all__ = ["bring_in", "fresh_copy"]
