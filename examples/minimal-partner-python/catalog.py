"""What the company sells, and when: products, options, units and their slots."""

from dataclasses import dataclass
from datetime import date, datetime, time, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

ZONE = ZoneInfo("Europe/Lisbon")
CLOSED_ON = 0  # Monday
DAYS_AHEAD = 90  # how far ahead seats are sold; the marketplace asks for 60 days (AVL-2)


class Refusal(Exception):
    """A "no" in words that the marketplace can show to its customer (RSV-5, CNF-5)."""


@dataclass(frozen=True)
class Slot:
    """One start of an option. Its id is computed, and so is the same in every answer (AVL-8)."""

    id: str
    start: datetime
    end: datetime
    capacity: int

    def show(self, vacancies: int) -> dict[str, Any]:
        """Return the slot as POST /availability shows it (AVL-4, AVL-5, AVL-9)."""
        status = "SOLD_OUT" if vacancies == 0 else "LIMITED" if vacancies <= self.capacity // 4 else "AVAILABLE"
        return {
            "id": self.id, "status": status, "vacancies": vacancies, "capacity": self.capacity,
            "localDateTimeStart": self.start.isoformat(), "localDateTimeEnd": self.end.isoformat(),
        }


def unit_id(guest: str) -> str:
    """Return the unit of a guest type: the contract fixes unit-adult and unit-child (PRD-12)."""
    return f"unit-{guest.lower()}"


@dataclass(frozen=True)
class Option:
    id: str
    name: str
    availability_type: str
    start_hours: list[int]  # local hours at which a slot starts, on every open day
    length: timedelta
    capacity: int  # seats of one slot
    prices: dict[str, int]  # cents, by guest type

    def show(self) -> dict[str, Any]:
        """Return the option as GET /products shows it (PRD-4 to PRD-8, PRD-12)."""
        units = [
            {"id": unit_id(guest), "internalName": guest.title(), "type": guest, "pricingFrom": [{"original": cents, "currency": "EUR"}]}
            for guest, cents in self.prices.items()
        ]
        return {"id": self.id, "internalName": self.name, "availabilityType": self.availability_type, "units": units}

    def slots(self, first: date, last: date, now: datetime) -> list[Slot]:
        """Return the slots on sale from one date to another, both inclusive (AVL-10)."""
        today = now.astimezone(ZONE).date()
        first, last = max(first, today), min(last, today + timedelta(days=DAYS_AHEAD))
        slots = []
        for day in (first + timedelta(days=n) for n in range((last - first).days + 1)):
            for hour in self.start_hours if day.weekday() != CLOSED_ON else []:
                start = datetime.combine(day, time(hour), ZONE)
                if start > now:
                    end = (start.astimezone(timezone.utc) + self.length).astimezone(ZONE)
                    slots.append(Slot(f"{self.id}-{start:%Y-%m-%d-%H%M}", start, end, self.capacity))
        return slots

    def seats(self, units: Any) -> int:
        """Count the seats that a party takes: one for each guest (RSV-9)."""
        if not isinstance(units, list) or not units:
            raise Refusal("units must list the guests.")
        seats = 0
        for unit in units:
            if not isinstance(unit, dict) or unit.get("id") not in [unit_id(guest) for guest in self.prices]:
                raise Refusal(f"{self.name} has no such unit.")
            quantity = unit.get("quantity")
            if type(quantity) is not int or quantity < 1:
                raise Refusal("A quantity must be a whole number from 1.")
            seats += quantity
        return seats


@dataclass(frozen=True)
class Product:
    id: str  # permanent, as every id here (PRD-10)
    name: str
    options: list[Option]

    def show(self) -> dict[str, Any]:
        """Return the product as GET /products shows it (PRD-2, PRD-3)."""
        return {
            "id": self.id, "internalName": self.name, "locale": "en-GB", "timeZone": ZONE.key, "instantConfirmation": True,
            "options": [option.show() for option in self.options],
        }


CATALOG = [
    Product("harbour-cruise", "Harbour cruise", [
        Option("shared-boat", "Shared boat", "START_TIME", [10, 14, 17], timedelta(minutes=90), 40, {"ADULT": 4500, "CHILD": 2250}),
        Option("small-boat", "Small boat with skipper", "START_TIME", [11], timedelta(hours=2), 4, {"ADULT": 12000}),
    ]),
    Product("tile-museum", "Tile museum", [
        Option("day-ticket", "Day ticket", "OPENING_HOURS", [10], timedelta(hours=8), 60, {"ADULT": 1200, "CHILD": 600}),
    ]),
]


def find(body: dict[str, Any]) -> Option:
    """Return the option that a request is about."""
    for product in CATALOG:
        for option in product.options:
            if (product.id, option.id) == (body.get("productId"), body.get("optionId")):
                return option
    raise Refusal("There is no such product with such an option.")
