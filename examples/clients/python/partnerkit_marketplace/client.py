from __future__ import annotations

import random
import time
import uuid
from collections.abc import Callable, Iterator, Mapping
from types import TracebackType
from typing import Any, Literal, cast
from urllib.parse import quote

import httpx

from .errors import MarketplaceError, error_of
from .types import Activity, Booking, BookingRequest, CalendarDay, EventsAnswer, RescheduleRequest, ResellerSlot, VariationCalendar

LONGEST_WAIT = 60.0
"""The longest that a client waits because the service asks it to, in seconds."""

Query = Mapping[str, str | int | None]


class Marketplace:
    """A reseller's view of a marketplace.

    Every method raises MarketplaceError where the service refuses, and retries what is safe to send again:
    reads, and requests that the service counts once. Keep the token on a server.
    """

    def __init__(
        self,
        base_url: str,
        token: str,
        *,
        attempts: int = 4,
        timeout: float = 30.0,
        transport: httpx.BaseTransport | None = None,
        wait: Callable[[float], None] = time.sleep,
    ) -> None:
        self._attempts, self._wait = attempts, wait
        self._http = httpx.Client(
            base_url=base_url.rstrip("/") + "/api/v1/resellers", headers={"x-api-token": token}, timeout=timeout, transport=transport
        )

    def __enter__(self) -> Marketplace:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.close()

    def close(self) -> None:
        """Closes the connections."""
        self._http.close()

    def activities(self, **query: str | int | None) -> Iterator[Activity]:
        """Lists the activities that can be sold, page by page, as far as they are read.

        Filters: currency, language, q, category, country, city, date_from, date_to, min_price, max_price, limit.
        sort is created, price, title or next_date.
        """
        return cast(Iterator[Activity], self._pages("/activities", query))

    def activity(self, activity: str, **query: str | int | None) -> Activity:
        """Returns one activity."""
        return cast(Activity, self._send("GET", f"/activities/{_segment(activity)}", query))

    def calendar(self, activity: str, variation: str, from_: str, to: str, currency: str | None = None) -> list[CalendarDay]:
        """Returns a row for every date from from_ to to (YYYY-MM-DD), both included."""
        path = f"/activities/{_segment(activity)}/variations/{_segment(variation)}/calendar"
        return cast(list[CalendarDay], self._send("GET", path, {"from": from_, "to": to, "currency": currency}))

    def activity_calendar(self, activity: str, from_: str, to: str, currency: str | None = None) -> list[VariationCalendar]:
        """Returns the calendars of all variations of an activity."""
        path = f"/activities/{_segment(activity)}/calendar"
        return cast(list[VariationCalendar], self._send("GET", path, {"from": from_, "to": to, "currency": currency}))

    def slots(self, activity: str, variation: str, date: str, currency: str | None = None) -> list[ResellerSlot]:
        """Returns the slots of a date (YYYY-MM-DD)."""
        path = f"/activities/{_segment(activity)}/variations/{_segment(variation)}/availability"
        return cast(list[ResellerSlot], self._send("GET", path, {"date": date, "currency": currency}))

    def book(self, request: BookingRequest, idempotency_key: str | None = None) -> Booking:
        """Holds a slot for a customer until the booking's expires_at.

        The idempotency key makes a retry safe. Pass your order's id, so that a restart of your own process
        does not book twice either.
        """
        key = idempotency_key or str(uuid.uuid4())
        return cast(Booking, self._send("POST", "/bookings", body=request, headers={"Idempotency-Key": key}))

    def pay(self, booking: str, reference: str) -> Booking:
        """Records a payment that succeeded, and confirms the booking at the partner.

        The reference is the payment provider's: a payment counts once by it. A booking that stays PAID is
        confirmed later, or needs an operator, as its attention says.
        """
        return self._payment(booking, "succeeded", reference)

    def payment_failed(self, booking: str, reference: str) -> Booking:
        """Records that the customer's payment failed, and releases the hold."""
        return self._payment(booking, "failed", reference)

    def release(self, booking: str) -> Booking:
        """Releases a hold that the customer no longer wants."""
        return cast(Booking, self._send("DELETE", f"/bookings/{_segment(booking)}"))

    def reschedule(self, booking: str, request: RescheduleRequest, idempotency_key: str | None = None) -> Booking:
        """Moves the guests of a confirmed booking to another slot of its variation, and returns the new booking.

        It is CONFIRMED, and the old one is cancelled. Or it is PAID, because the partner has not answered yet: both
        are kept until it does. After an error the booking is as it was. A slot that costs more is an error with the
        code payment_required and payment_due, unless the request has the customer's payment.
        """
        key = idempotency_key or str(uuid.uuid4())
        return cast(Booking, self._send("POST", f"/bookings/{_segment(booking)}/reschedule", body=request, headers={"Idempotency-Key": key}))

    def cancel(self, booking: str, reason: str | None = None) -> Booking:
        """Cancels a confirmed booking."""
        return cast(Booking, self._send("POST", f"/bookings/{_segment(booking)}/cancel", body={"reason": reason}))

    def booking(self, booking: str) -> Booking:
        """Returns a booking with its history."""
        return cast(Booking, self._send("GET", f"/bookings/{_segment(booking)}"))

    def bookings(self, **query: str | int | None) -> Iterator[Booking]:
        """Lists bookings, the newest first, page by page, as far as they are read.

        Filters: status, activity_id, reseller_reference, q, created_from, created_to, start_from, start_to, limit.
        """
        return cast(Iterator[Booking], self._pages("/bookings", query))

    def events(self, after: str | None = None) -> Iterator[EventsAnswer]:
        """Reads the feed of events, from an earlier next_cursor or from the oldest event that is kept, as far as it goes now.

        Store each answer's next_cursor, also of the last one, whose data is empty. A cursor that is too old is a
        MarketplaceError with the code cursor_expired.
        """
        more = True
        while more:
            page = cast(EventsAnswer, self._answer("GET", "/events", {"after": after}))
            after, more = page["next_cursor"], bool(page["data"])
            yield page

    def _payment(self, booking: str, outcome: Literal["succeeded", "failed"], reference: str) -> Booking:
        return cast(Booking, self._send("POST", f"/bookings/{_segment(booking)}/payment", body={"outcome": outcome, "reference": reference}))

    def _pages(self, path: str, query: Query) -> Iterator[Any]:
        cursor: str | None = None
        while True:
            answer = self._answer("GET", path, {**query, "cursor": cursor})
            yield from answer["data"]
            cursor = answer["pagination"]["next_cursor"]
            if cursor is None:
                return

    def _send(self, method: str, path: str, query: Query = {}, body: object = None, headers: Mapping[str, str] = {}) -> Any:
        return self._answer(method, path, query, body, headers)["data"]

    def _answer(self, method: str, path: str, query: Query = {}, body: object = None, headers: Mapping[str, str] = {}) -> Any:
        request = self._http.build_request(
            method, path, params={name: value for name, value in query.items() if value is not None}, json=body, headers=dict(headers)
        )
        for attempt in range(1, self._attempts + 1):
            last = attempt == self._attempts
            try:
                response = self._http.send(request)
            except httpx.TransportError as cause:
                if last:
                    raise MarketplaceError("the service did not answer", "no_answer") from cause
                self._wait(_pause(attempt))
                continue
            if response.is_success:
                return response.json()
            if last or not _is_temporary(request, response):
                raise error_of(response)
            self._wait(_pause(attempt, response.headers.get("Retry-After")))
        raise AssertionError("unreachable: the last attempt returns or raises")


def _segment(text: str) -> str:
    return quote(text, safe="")


def _is_temporary(request: httpx.Request, response: httpx.Response) -> bool:
    if response.status_code in (429, 503):
        return True
    if response.status_code == 409:
        return "Retry-After" in response.headers  # the first request with this key is under way
    # The partner may hold the slot under this key: a retry of a booking needs a new one.
    return response.status_code in (502, 504) and "Idempotency-Key" not in request.headers


def _pause(attempt: int, retry_after: str | None = None) -> float:
    if retry_after is not None and retry_after.isdigit():
        return min(float(retry_after), LONGEST_WAIT)
    return random.uniform(0.5, 1.0) * min(0.2 * float(2 ** (attempt - 1)), 5.0)
