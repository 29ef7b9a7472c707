// Books the first slot that is free with a client that Hey API has generated, pays for it,
// cancels it again, and reads that in the feed of events.
import { activities, book, calendar, cancel, events, pay, slots } from "./market/index";
import type { BookingRequest } from "./market/index";
import { client } from "./market/client.gen";

client.setConfig({ baseUrl: setting("MARKETPLACE"), headers: { "x-api-token": setting("TOKEN") }, throwOnError: true });

const key = `order-${Date.now()}`;
const held = await book<true>({ body: await firstFreeSlot(), headers: { "Idempotency-Key": key } });
const booking = held.data.data._id;
console.log(held.data.data.status);

const paid = await pay<true>({ path: { booking }, body: { outcome: "succeeded", reference: `payment-of-${key}` } });
console.log(paid.data.data.status);

const cancelled = await cancel<true>({ path: { booking }, body: {} });
console.log(cancelled.data.data.status);

console.log(await eventOf(booking, "booking.cancelled"));

async function firstFreeSlot(): Promise<BookingRequest> {
  const date = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
  const listed = await activities<true>();
  for (const activity of listed.data.data) {
    for (const variation of activity.variations) {
      const path = { activity: activity._id, variation: variation._id };
      const days = await calendar<true>({ path, query: { from: date(2), to: date(30) } });
      const day = days.data.data.find((one) => one.status === "AVAILABLE" || one.status === "FREESALE");
      const found = day === undefined ? undefined : await slots<true>({ path, query: { date: day.date } });
      const slot = found?.data.data.find((one) => one.bookable);
      if (slot !== undefined) {
        return {
          activity_id: activity._id,
          variation_id: variation._id,
          availability_id: slot.availability_id,
          units: [{ type: "ADULT", quantity: 1 }],
          contact: { fullName: "Ana Sousa", emailAddress: "ana@example.com" },
        };
      }
    }
  }
  throw new Error("no slot is free");
}

/** Waits for an event of a booking: events are in the feed within a second or so. */
async function eventOf(booking: string, type: string): Promise<string> {
  let after: string | undefined;
  for (const deadline = Date.now() + 20_000; Date.now() < deadline; ) {
    const page = await events<true>({ query: after === undefined ? {} : { after } });
    after = page.data.next_cursor;
    const found = page.data.data.find((event) => event.type === type && "booking_id" in event.data && event.data.booking_id === booking);
    if (found !== undefined) {
      return found.type;
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
