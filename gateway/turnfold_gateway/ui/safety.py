"""Security headers of the pages, and the static files that browsers may cache."""

from __future__ import annotations

from hashlib import blake2b
from importlib.resources import files
from typing import Final

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

POLICY: Final = (
    "default-src 'none'; style-src 'self'; script-src 'self'; img-src 'self'; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)
"""Forbids inline scripts and styles, so that text of a conversation can never run as one."""

HEADERS: Final = {
    "Content-Security-Policy": POLICY,
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    "Cache-Control": "no-store",
}

_TYPES: Final = {"css": "text/css", "js": "text/javascript", "svg": "image/svg+xml"}
_FOLDER: Final = files(__package__) / "static"
FILES: Final = {
    file.name: (file.read_bytes(), _TYPES[file.name.rpartition(".")[2]])
    for file in _FOLDER.iterdir()
    if file.name.rpartition(".")[2] in _TYPES
}
"""Bytes and media type by file name."""
VERSION: Final = blake2b(b"".join(FILES[name][0] for name in sorted(FILES)), digest_size=6).hexdigest()
"""Suffix of static files' addresses, so that browsers fetch changed ones."""


async def static_file(request: Request) -> Response:
    """Serve a static file. No key is needed, since the files are the same for everyone."""
    name = request.path_params["name"]
    if name not in FILES:
        raise HTTPException(404)
    content, media_type = FILES[name]
    return Response(content, media_type=media_type, headers={**HEADERS, "Cache-Control": "public, max-age=31536000"})
