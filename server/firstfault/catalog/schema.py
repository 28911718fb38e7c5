"""The JSON Schema of a catalogue file, for editors that complete and check entries."""

from __future__ import annotations

import json

from firstfault.catalog.entry import Entry
from firstfault.catalog.mapping import json_schema

SCHEMA_NAME = "schema.json"


def schema_text() -> str:
    """Text of `signatures/schema.json`."""
    schema = json_schema(Entry, title="firstfault catalogue entry", schema_id="firstfault.signature/1")
    return json.dumps(schema, ensure_ascii=False, indent=2) + "\n"
