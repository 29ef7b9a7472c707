import { Webhook } from "standardwebhooks";

import type { components } from "./schema.js";

/** Something that happened to a booking, or to the catalog. Events of a webhook may arrive twice: remember their ids. */
export type Event = components["schemas"]["Event"];

/** A part of the feed. */
export interface EventsPage {
  events: Event[];
  /** Store it when you have handled the events, and begin with it next time. It is valid for 30 days. */
  cursor: string;
}

/**
 * Returns the event that a webhook has received, if its signature is right. Otherwise it throws
 * standardwebhooks' `WebhookVerificationError`: answer with 401.
 *
 * The body is the request's as it was received, not parsed and written again. An event that was sent
 * more than five minutes ago, or later than now, is refused.
 */
export function verifyEvent(body: string, headers: Headers | Record<string, string | string[] | undefined>, secret: string): Event {
  const all = headers instanceof Headers ? Object.fromEntries(headers) : headers;
  const single: Record<string, string> = {};
  for (const [name, value] of Object.entries(all)) {
    single[name] = String(value);
  }
  return new Webhook(secret).verify(body, single) as Event;
}
