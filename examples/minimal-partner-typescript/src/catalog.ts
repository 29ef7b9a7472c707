// What the company sells, and when: products, options, units and their slots.
import { DateTime, type DurationLikeObject } from "luxon";

const zone = "Europe/Lisbon";
const closedOn = 1; // Monday
const daysAhead = 90; // how far ahead seats are sold; the marketplace asks for 60 days (AVL-2)

/** A "no" in words that the marketplace can show to its customer (RSV-5, CNF-5). */
export class Refusal extends Error {}

/** The body of a request. Nothing is known of its fields until they are checked. */
export type Body = Record<string, unknown>;

/** One start of an option. Its id is computed, and so is the same in every answer (AVL-8). */
export interface Slot {
  id: string;
  start: DateTime;
  end: DateTime;
}

export interface Option {
  id: string;
  name: string;
  availabilityType: "START_TIME" | "OPENING_HOURS";
  startHours: number[]; // local hours at which a slot starts, on every open day
  length: DurationLikeObject;
  capacity: number; // seats of one slot
  prices: Record<string, number>; // cents, by unit
}

interface Product {
  id: string; // permanent, as every id here (PRD-10)
  name: string;
  options: Option[];
}

const units: Record<string, { internalName: string; type: string }> = {
  "unit-adult": { internalName: "Adult", type: "ADULT" }, // the contract fixes these ids (PRD-12)
  "unit-child": { internalName: "Child", type: "CHILD" },
};

const catalog: Product[] = [
  {
    id: "harbour-cruise",
    name: "Harbour cruise",
    options: [
      {
        id: "shared-boat", name: "Shared boat", availabilityType: "START_TIME",
        startHours: [10, 14, 17], length: { minutes: 90 }, capacity: 40, prices: { "unit-adult": 4500, "unit-child": 2250 },
      },
      {
        id: "small-boat", name: "Small boat with skipper", availabilityType: "START_TIME",
        startHours: [11], length: { hours: 2 }, capacity: 4, prices: { "unit-adult": 12000 },
      },
    ],
  },
  {
    id: "tile-museum",
    name: "Tile museum",
    options: [
      {
        id: "day-ticket", name: "Day ticket", availabilityType: "OPENING_HOURS",
        startHours: [10], length: { hours: 8 }, capacity: 60, prices: { "unit-adult": 1200, "unit-child": 600 },
      },
    ],
  },
];

/** The catalog as GET /products shows it (PRD-2 to PRD-8). */
export function products() {
  return catalog.map((product) => ({
    id: product.id, internalName: product.name, locale: "en-GB", timeZone: zone, instantConfirmation: true,
    options: product.options.map((option) => ({
      id: option.id, internalName: option.name, availabilityType: option.availabilityType,
      units: Object.entries(option.prices).map(([id, cents]) => ({ id, ...units[id], pricingFrom: [{ original: cents, currency: "EUR" }] })),
    })),
  }));
}

/** The option that a request is about. */
export function find(body: Body): Option {
  const option = catalog.find(({ id }) => id === body.productId)?.options.find(({ id }) => id === body.optionId);
  if (!option) throw new Refusal("There is no such product with such an option.");
  return option;
}

/** The date in a field of a request, at midnight. */
export function dateOf(body: Body, field: string): DateTime {
  const date = DateTime.fromFormat(String(body[field]), "yyyy-MM-dd", { zone });
  if (!date.isValid) throw new Refusal(`${field} must be a date such as 2026-07-01.`);
  return date;
}

/** The slots of an option on sale: all, or from one date to another, both inclusive (AVL-10). */
export function slotsOf(option: Option, first?: DateTime, last?: DateTime): Slot[] {
  const now = DateTime.now().setZone(zone);
  const today = now.startOf("day");
  const end = DateTime.min(last ?? today.plus({ days: daysAhead }), today.plus({ days: daysAhead }));
  const slots: Slot[] = [];
  for (let day = DateTime.max(first ?? today, today); day <= end; day = day.plus({ days: 1 })) {
    for (const hour of day.weekday === closedOn ? [] : option.startHours) {
      const start = day.set({ hour });
      if (start > now) slots.push({ id: `${option.id}-${start.toFormat("yyyy-MM-dd-HHmm")}`, start, end: start.plus(option.length) });
    }
  }
  return slots;
}

/** The seats that a party takes: one for each guest (RSV-9). */
export function seatsOf(option: Option, party: unknown): number {
  if (!Array.isArray(party) || party.length === 0) throw new Refusal("units must list the guests.");
  return party.reduce((seats: number, unit: Body | null) => {
    if (!Object.hasOwn(option.prices, String(unit?.id))) throw new Refusal(`${option.name} has no such unit.`);
    const quantity = unit?.quantity;
    if (!Number.isSafeInteger(quantity) || Number(quantity) < 1) throw new Refusal("A quantity must be a whole number from 1.");
    return seats + Number(quantity);
  }, 0);
}
