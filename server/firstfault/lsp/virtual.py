"""Reports and catalogue pages as documents that a client can open without a file."""

from __future__ import annotations

from firstfault.catalog.compiled import Catalog
from firstfault.lsp.protocol import SCHEME
from firstfault.lsp.symbols import entry_document
from firstfault.report import Report

MOST_REPORTS = 32


class VirtualDocuments:
    """The latest reports, each under an address of its own."""

    def __init__(self) -> None:
        self._reports: dict[str, Report] = {}
        self._made = 0

    def keep(self, report: Report) -> str:
        """Keep a report; returns its address. The oldest ones are forgotten."""
        self._made += 1
        uri = f"{SCHEME}:/report/{self._made}.md"
        self._reports[uri] = report
        while len(self._reports) > MOST_REPORTS:
            del self._reports[next(iter(self._reports))]
        return uri

    def report(self, uri: str) -> Report | None:
        """A report that is still kept."""
        return self._reports.get(uri)

    def text(self, uri: str, catalog: Catalog) -> str:
        """The text of a virtual document; a sentence where there is none."""
        report = self._reports.get(uri)
        if report is not None:
            from firstfault.views import markdown

            return markdown.render(report)
        page = entry_document(catalog, uri)
        return page if page is not None else "This document is no longer there. Diagnose the log again to get a new report.\n"
