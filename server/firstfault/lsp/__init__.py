"""The language server: the core's diagnosis where people read logs."""
