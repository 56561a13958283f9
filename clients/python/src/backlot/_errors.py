"""What a server refuses."""

from __future__ import annotations

from typing import Any, Dict, List, Optional

CODES = {
    400: "invalid",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    408: "timeout",
    409: "conflict",
    413: "too_large",
    414: "uri_too_long",
    415: "unsupported_media_type",
    503: "not_enabled",
}


class BacklotError(Exception):
    """A server has refused something, or there is none.

    ``code`` is the stable name of the error, such as ``invalid`` or ``not_found``; ``status`` the status of the answer, 0 where
    none came. ``details`` has one entry per problem of a value that did not validate, each with ``path`` and ``message``.
    """

    def __init__(
        self,
        code: str,
        message: str,
        status: int = 0,
        details: Optional[List[Dict[str, Any]]] = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.status = status
        self.details: List[Dict[str, Any]] = details or []


class BacklotTimeout(BacklotError, TimeoutError):
    """What was waited for has not come in time; the message says what came instead."""


class BacklotWarning(UserWarning):
    """A server has taken something and warns of it, such as a mock whose answer the contract of its protocol does not allow."""
