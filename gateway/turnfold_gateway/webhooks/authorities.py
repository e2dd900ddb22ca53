"""Whose certificates of webhooks' hosts are believed: the public authorities', and those of a file."""

from __future__ import annotations

import ssl

import httpx


def tls_context(ca_file: str) -> ssl.SSLContext:
    """A context that checks host names. `ca_file`: PEM, beside the public authorities; empty: these alone."""
    context = httpx.create_ssl_context(trust_env=False)
    if ca_file:
        context.load_verify_locations(cafile=ca_file)
    return context
