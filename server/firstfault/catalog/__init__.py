"""The encyclopedia: entries, tables and cascades, compiled into one file."""
