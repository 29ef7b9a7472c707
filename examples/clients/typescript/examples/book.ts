// Books the first slot that is free, pays for it, reads the tickets, cancels it again, and reads that in the feed of events.
//
//   MARKETPLACE=http://127.0.0.1:8080 TOKEN=… npm run -s book
import { Marketplace, type Activity, type Slot, type VariationRef } from "../src/index.js";

const market = new Marketplace({ baseUrl: setting("MARKETPLACE"), token: setting("TOKEN") });

const found = await firstFreeSlot();
console.log(`${found.activity.activity_title} at ${found.slot.start}`);

const order = `order-${Date.now()}`;
const held = await market.book(
  {
    activity_id: found.of.activity,
    variation_id: found.of.variation,
    availability_id: found.slot.availability_id,
    units: [{ type: "ADULT", quantity: 1 }],
    contact: { fullName: "Ana Sousa", emailAddress: "ana@example.com" },
    reseller_reference: order,
  },
  order,
);
console.log(`${held.status} until ${held.expires_at}, ${held.total} ${held.currency}`);

const paid = await market.pay(held._id, `payment-of-${order}`);
console.log(`${paid.status} as ${paid.external_booking_id}, ${paid.tickets.length} ticket(s)`);

const cancelled = await market.cancel(held._id, "the guest is ill");
console.log(cancelled.status);

console.log(`the feed says ${await eventOf(held._id, "booking.cancelled")}`);

async function firstFreeSlot(): Promise<{ activity: Activity; of: VariationRef; slot: Slot }> {
  const from = new Date(Date.now() + 2 * 86_400_000);
  const to = new Date(from.getTime() + 28 * 86_400_000);
  const date = (at: Date) => at.toISOString().slice(0, 10);
  for await (const activity of market.activities({ limit: 20 })) {
    for (const variation of activity.variations) {
      const of = { activity: activity._id, variation: variation._id };
      const days = await market.calendar(of, { from: date(from), to: date(to) });
      const day = days.find((one) => one.status === "AVAILABLE" || one.status === "FREESALE");
      const slots = day === undefined ? [] : await market.slots(of, { date: day.date });
      const slot = slots.find((one) => one.bookable);
      if (slot !== undefined) {
        return { activity, of, slot };
      }
    }
  }
  throw new Error("no slot of the next 30 days is free");
}

/** Waits for an event of a booking: events are in the feed within a second or so. */
async function eventOf(booking: string, type: string): Promise<string> {
  let cursor: string | undefined;
  for (const deadline = Date.now() + 20_000; Date.now() < deadline; ) {
    for await (const page of market.events(cursor)) {
      cursor = page.cursor; // a program that runs again stores it
      const found = page.events.find((event) => event.type === type && "booking_id" in event.data && event.data.booking_id === booking);
      if (found !== undefined) {
        return found.type;
      }
    }
    await new Promise((resolve) => setTimeout(resolve, 200));
  }
  throw new Error(`no ${type} of the booking is in the feed`);
}

function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === "") {
    throw new Error(`${name} is not set`);
  }
  return value;
}
