from __future__ import annotations

from typing import TypedDict

import httpx


class Price(TypedDict):
    """An amount in a currency."""

    amount: float
    currency: str


class MarketplaceError(Exception):
    """A request that failed: the service refused it, or did not answer.

    Decide by `code`, which is never renamed; the message is for people.
    """

    def __init__(
        self,
        message: str,
        code: str,
        status: int = 0,
        problems: tuple[str, ...] = (),
        request_id: str | None = None,
        payment_due: Price | None = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        """The service's error_code, such as slot_sold_out, or no_answer."""
        self.status = status
        """The HTTP status; 0 where no answer was received."""
        self.problems = problems
        """Every wrong field of the request, in words."""
        self.request_id = request_id
        """The X-Request-Id of the answer: the operator finds the request in the log by it."""
        self.payment_due = payment_due
        """What a new slot costs more, for the code payment_required."""


def error_of(response: httpx.Response) -> MarketplaceError:
    """Makes an error of an answer whose status is not 2xx; its body may be anything."""
    try:
        body = response.json()
    except ValueError:
        body = None
    said = body if isinstance(body, dict) else {}
    problems = said.get("error")
    return MarketplaceError(
        str(said.get("message") or f"the service answered {response.status_code}"),
        str(said.get("error_code") or "unexpected_answer"),
        response.status_code,
        tuple(map(str, problems)) if isinstance(problems, list) else (),
        response.headers.get("X-Request-Id"),
        said.get("payment_due"),
    )
