"""The life of a booking: availability, reserve, confirm, release, cancel."""

import secrets
from collections import Counter
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from typing import Any

from catalog import Refusal, find

HOLD_LIFE = timedelta(minutes=20)  # how long a customer has to pay; RSV-7 advises 15 to 30 minutes


@dataclass
class Reservation:
    """Seats of one slot: held until expires_at, or booked."""

    code: str
    slot_id: str
    seats: int
    contact: Any
    expires_at: datetime
    booking: dict[str, Any] | None = None  # the answer of confirm; None while the seats are only held


class Platform:
    """The company's reservation system, in memory.

    No method awaits anything. Each therefore runs to its end before the next request is
    served, and two customers cannot get the last seat. With a database, make each method
    one transaction that locks the slot.
    """

    def __init__(self) -> None:
        self.reservations: dict[str, Reservation] = {}  # holds and bookings, by reservation code
        self.bookings: dict[str, Reservation] = {}  # bookings alone, by booking id

    def taken(self) -> Counter[str]:
        """Count the seats of each slot that are held or booked, and drop expired holds (REL-7).

        Seats are always counted from the reservations. Without a number of its own that
        goes up and down, no seat can be given back twice (REL-5, CAN-5).
        """
        now = datetime.now(timezone.utc)
        self.reservations = {code: r for code, r in self.reservations.items() if r.booking or r.expires_at > now}
        taken: Counter[str] = Counter()
        for reservation in self.reservations.values():
            taken[reservation.slot_id] += reservation.seats
        return taken

    def availability(self, body: dict[str, Any]) -> list[dict[str, Any]]:
        option = find(body)
        option.seats(body.get("units"))
        try:
            first, last = date.fromisoformat(body["localDateStart"]), date.fromisoformat(body["localDateEnd"])
        except (KeyError, TypeError, ValueError):
            raise Refusal("localDateStart and localDateEnd must be dates such as 2026-07-01.") from None
        taken = self.taken()
        slots = option.slots(first, last, datetime.now(timezone.utc))
        return [slot.show(slot.capacity - taken[slot.id]) for slot in slots]  # [] without any (AVL-3)

    def reserve(self, body: dict[str, Any]) -> dict[str, Any]:
        """Take the party's seats immediately (RSV-3), or refuse and take none (RSV-5)."""
        option = find(body)
        seats = option.seats(body.get("units"))
        now = datetime.now(timezone.utc)
        on_sale = {slot.id: slot for slot in option.slots(date.min, date.max, now)}
        slot = on_sale.get(str(body.get("availabilityId")))
        if not slot:
            raise Refusal("Sorry, this start is not available.")
        left = slot.capacity - self.taken()[slot.id]
        if seats > left:
            raise Refusal(f"Sorry, there are not enough seats: {left} left.")
        code = secrets.token_urlsafe()  # random: never reused (RSV-4), and impossible to guess
        expires_at = (now + HOLD_LIFE).replace(microsecond=0)
        self.reservations[code] = Reservation(code, slot.id, seats, body.get("contact"), expires_at)
        return {"reservationConfirmationCode": code, "expiresAt": expires_at.isoformat()}  # RSV-2

    def confirm(self, body: dict[str, Any]) -> dict[str, Any]:
        """Turn a hold into a booking. A repeated call answers the same booking (CNF-4)."""
        self.taken()  # drops expired holds
        reservation = self.reservations.get(str(body.get("reservationConfirmationCode")))
        if not reservation:
            raise Refusal("This reservation is unknown, or has expired, or was released or cancelled.")
        if not reservation.booking:
            booking_id = secrets.token_urlsafe()
            self.bookings[booking_id] = reservation
            reservation.booking = {  # CNF-2, and CNF-6 for the tickets
                "externalBookingId": booking_id, "status": "CONFIRMED", "availabilityId": reservation.slot_id,
                "contact": body.get("contact") or reservation.contact,
                "tickets": [ticket() for _ in range(reservation.seats)],
            }
        return reservation.booking

    def release(self, code: str) -> dict[str, Any]:
        """End a hold. An unknown, expired or released code has nothing left to end (REL-4, REL-5)."""
        reservation = self.reservations.get(code)
        if reservation and reservation.booking:
            return {"success": False, "message": "The booking is unchanged: cancel it by its booking id."}  # REL-6
        self.reservations.pop(code, None)
        return {"success": True}  # REL-2

    def cancel(self, booking_id: str) -> dict[str, Any]:
        """End a booking. An unknown or cancelled one has nothing left to end (CAN-4, CAN-5)."""
        reservation = self.bookings.pop(booking_id, None)
        if reservation:
            del self.reservations[reservation.code]  # its code cannot be confirmed again (CNF-5)
        return {"success": True}  # CAN-2


def ticket() -> dict[str, Any]:
    code = {"deliveryFormat": "QRCODE", "deliveryMethod": "TICKET", "deliveryValue": secrets.token_urlsafe()}
    return {"redemptionMethod": "DIGITAL", "deliveryOptions": [code]}
