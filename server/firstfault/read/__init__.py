"""Bytes of any origin, turned into lines that say who wrote them."""
