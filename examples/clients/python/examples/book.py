"""Books the first slot that is free, pays for it, reads the tickets, cancels it again, and reads that in the feed of events.

    MARKETPLACE=http://127.0.0.1:8080 TOKEN=… python3 -m examples.book
"""

from __future__ import annotations

import os
import time
from datetime import date, timedelta

from partnerkit_marketplace import Marketplace
from partnerkit_marketplace.types import Activity, BookingRequest, ResellerSlot


def first_free_slot(market: Marketplace) -> tuple[Activity, str, ResellerSlot]:
    begin = date.today() + timedelta(days=2)
    for activity in market.activities(limit=20):
        for variation in activity["variations"]:
            days = market.calendar(activity["_id"], variation["_id"], begin.isoformat(), (begin + timedelta(days=28)).isoformat())
            for day in days:
                if day["status"] not in ("AVAILABLE", "FREESALE"):
                    continue
                for slot in market.slots(activity["_id"], variation["_id"], day["date"]):
                    if slot["bookable"]:
                        return activity, variation["_id"], slot
                break
    raise SystemExit("no slot of the next 30 days is free")


def event_of(market: Marketplace, booking: str, type: str) -> str:
    """Waits for an event of a booking: events are in the feed within a second or so."""
    cursor = None
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        for page in market.events(cursor):
            cursor = page["next_cursor"]  # a program that runs again stores it
            for event in page["data"]:
                if event["type"] == type and event["data"].get("booking_id") == booking:
                    return event["type"]
        time.sleep(0.2)
    raise SystemExit(f"no {type} of the booking is in the feed")


def main() -> None:
    with Marketplace(os.environ["MARKETPLACE"], os.environ["TOKEN"]) as market:
        activity, variation, slot = first_free_slot(market)
        print(activity["activity_title"], "at", slot["start"])

        order = f"order-{time.time_ns()}"
        request: BookingRequest = {
            "activity_id": activity["_id"],
            "variation_id": variation,
            "availability_id": slot["availability_id"],
            "units": [{"type": "ADULT", "quantity": 1}],
            "contact": {"fullName": "Ana Sousa", "emailAddress": "ana@example.com"},
            "reseller_reference": order,
        }
        held = market.book(request, idempotency_key=order)
        print(held["status"], "until", held["expires_at"], "for", held["total"], held["currency"])

        paid = market.pay(held["_id"], f"payment-of-{order}")
        print(paid["status"], "as", paid["external_booking_id"], "with", len(paid["tickets"]), "ticket(s)")

        print(market.cancel(held["_id"], "the guest is ill")["status"])

        print("the feed says", event_of(market, held["_id"], "booking.cancelled"))


if __name__ == "__main__":
    main()
