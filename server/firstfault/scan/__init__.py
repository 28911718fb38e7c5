"""Stage two: bytes to findings."""
