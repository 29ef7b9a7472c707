// The life of a booking: availability, reserve, confirm, release, cancel.
import { randomUUID } from "node:crypto";
import { type Body, dateOf, find, Refusal, seatsOf, slotsOf } from "./catalog.js";

const holdLife = 20 * 60_000; // how long a customer has to pay, in milliseconds; RSV-7 advises 15 to 30 minutes

/** Seats of one slot: held until expiresAt, or booked. */
interface Reservation {
  code: string;
  slotId: string;
  seats: number;
  contact: unknown;
  expiresAt: number;
  booking?: Body; // the answer of confirm; absent while the seats are only held
}

/**
 * The company's reservation system, in memory.
 *
 * No method awaits anything. Each therefore runs to its end before the next request is
 * served, and two customers cannot get the last seat. With a database, make each method
 * one transaction that locks the slot.
 */
export class Platform {
  #reservations = new Map<string, Reservation>(); // holds and bookings, by reservation code
  #bookings = new Map<string, Reservation>(); // bookings alone, by booking id

  /**
   * Counts the seats of each slot that are held or booked, and drops expired holds (REL-7).
   *
   * Seats are always counted from the reservations. Without a number of its own that goes
   * up and down, no seat can be given back twice (REL-5, CAN-5).
   */
  #taken(): (slotId: string) => number {
    const taken = new Map<string, number>();
    for (const [code, { booking, expiresAt, slotId, seats }] of this.#reservations) {
      if (!booking && expiresAt <= Date.now()) this.#reservations.delete(code);
      else taken.set(slotId, (taken.get(slotId) ?? 0) + seats);
    }
    return (slotId) => taken.get(slotId) ?? 0;
  }

  availability(body: Body) {
    const option = find(body);
    seatsOf(option, body.units);
    const slots = slotsOf(option, dateOf(body, "localDateStart"), dateOf(body, "localDateEnd"));
    const taken = this.#taken();
    return slots.map(({ id, start, end }) => { // [] without any (AVL-3)
      const vacancies = option.capacity - taken(id);
      const status = vacancies === 0 ? "SOLD_OUT" : vacancies <= option.capacity / 4 ? "LIMITED" : "AVAILABLE"; // AVL-9
      return { id, localDateTimeStart: start.toISO(), localDateTimeEnd: end.toISO(), status, vacancies, capacity: option.capacity };
    });
  }

  /** Takes the party's seats immediately (RSV-3), or refuses and takes none (RSV-5). */
  reserve(body: Body) {
    const option = find(body);
    const seats = seatsOf(option, body.units);
    const slot = slotsOf(option).find(({ id }) => id === body.availabilityId);
    if (!slot) throw new Refusal("Sorry, this start is not available.");
    const left = option.capacity - this.#taken()(slot.id);
    if (seats > left) throw new Refusal(`Sorry, there are not enough seats: ${left} left.`);
    const code = randomUUID(); // random: never reused (RSV-4), and impossible to guess
    const expiresAt = Date.now() + holdLife;
    this.#reservations.set(code, { code, slotId: slot.id, seats, contact: body.contact, expiresAt });
    return { reservationConfirmationCode: code, expiresAt: new Date(expiresAt).toISOString() }; // RSV-2
  }

  /** Turns a hold into a booking. A repeated call answers the same booking (CNF-4). */
  confirm(body: Body) {
    this.#taken(); // drops expired holds
    const reservation = this.#reservations.get(String(body.reservationConfirmationCode));
    if (!reservation) throw new Refusal("This reservation is unknown, or has expired, or was released or cancelled.");
    if (!reservation.booking) {
      const id = randomUUID();
      this.#bookings.set(id, reservation);
      reservation.booking = { // CNF-2, and CNF-6 for the tickets
        externalBookingId: id, status: "CONFIRMED", availabilityId: reservation.slotId,
        contact: body.contact ?? reservation.contact,
        tickets: Array.from({ length: reservation.seats }, ticket),
      };
    }
    return reservation.booking;
  }

  /** Ends a hold. An unknown, expired or released code has nothing left to end (REL-4, REL-5). */
  release(code: string) {
    if (this.#reservations.get(code)?.booking) {
      return { success: false, message: "The booking is unchanged: cancel it by its booking id." }; // REL-6
    }
    this.#reservations.delete(code);
    return { success: true }; // REL-2
  }

  /** Ends a booking. An unknown or cancelled one has nothing left to end (CAN-4, CAN-5). */
  cancel(bookingId: string) {
    const reservation = this.#bookings.get(bookingId);
    if (reservation) this.#reservations.delete(reservation.code); // its code cannot be confirmed again (CNF-5)
    this.#bookings.delete(bookingId);
    return { success: true }; // CAN-2
  }
}

function ticket() {
  const code = { deliveryFormat: "QRCODE", deliveryMethod: "TICKET", deliveryValue: randomUUID() };
  return { redemptionMethod: "DIGITAL", deliveryOptions: [code] };
}
