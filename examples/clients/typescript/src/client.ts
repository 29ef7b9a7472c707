import createClient, { type Client } from "openapi-fetch";

import { errorOf, MarketplaceError } from "./error.js";
import type { EventsPage } from "./event.js";
import { retrying, type Retries } from "./retry.js";
import type { components, operations, paths } from "./schema.js";

type Schemas = components["schemas"];
type Query<Operation extends keyof operations> = NonNullable<operations[Operation]["parameters"]["query"]>;

export type Activity = Schemas["Activity"];
export type Booking = Schemas["Booking"];
export type BookingRequest = Schemas["BookingRequest"];
export type RescheduleRequest = Schemas["RescheduleRequest"];
export type CalendarDay = Schemas["CalendarDay"];
export type VariationCalendar = Schemas["VariationCalendar"];
export type Slot = Schemas["ResellerSlot"];
/** Filters and order of the activities; pages are the client's. */
export type ActivityQuery = Omit<Query<"activities">, "page" | "cursor">;
/** Filters of the bookings; pages are the client's. */
export type BookingQuery = Omit<Query<"bookings">, "page" | "cursor">;
export type CalendarQuery = Query<"calendar">;
export type SlotsQuery = Query<"slots">;

/** The variation of an activity. */
export interface VariationRef {
  activity: string;
  variation: string;
}

export interface Options {
  /** The service's address, such as `https://market.example.com`. */
  baseUrl: string;
  /** The reseller's API token. Keep it on a server, never in a page. */
  token: string;
  /** Defaults to the platform's. */
  fetch?: (request: Request) => Promise<Response>;
  /** Defaults to 4 attempts of 30 s each. */
  retries?: Partial<Retries>;
}

/**
 * A reseller's view of a marketplace.
 *
 * Every method throws a {@link MarketplaceError} where the service refuses, and retries what is safe
 * to send again.
 */
export class Marketplace {
  /** The typed client below: every operation of the service's OpenAPI document. */
  readonly api: Client<paths>;

  constructor(options: Options) {
    const retries: Retries = {
      attempts: 4,
      timeout: 30_000,
      wait: (milliseconds) => new Promise((resolve) => setTimeout(resolve, milliseconds)),
      ...options.retries,
    };
    this.api = createClient<paths>({
      baseUrl: options.baseUrl.replace(/\/+$/, ""),
      headers: { "x-api-token": options.token },
      fetch: retrying(options.fetch ?? ((request) => fetch(request)), retries),
    });
  }

  /** Lists the activities that can be sold, page by page, as far as they are read. */
  activities(query: ActivityQuery = {}): AsyncGenerator<Activity> {
    return pages((cursor) => this.api.GET("/api/v1/resellers/activities", { params: { query: { ...query, ...cursor } } }));
  }

  /** Returns one activity. */
  async activity(id: string, query: Query<"activity"> = {}): Promise<Activity> {
    return read(this.api.GET("/api/v1/resellers/activities/{activity}", { params: { path: { activity: id }, query } }));
  }

  /** Returns a row for every date from `from` to `to`, both included. */
  async calendar(of: VariationRef, query: CalendarQuery): Promise<CalendarDay[]> {
    return read(this.api.GET("/api/v1/resellers/activities/{activity}/variations/{variation}/calendar", { params: { path: of, query } }));
  }

  /** Returns the calendars of all variations of an activity. */
  async activityCalendar(activity: string, query: CalendarQuery): Promise<VariationCalendar[]> {
    return read(this.api.GET("/api/v1/resellers/activities/{activity}/calendar", { params: { path: { activity }, query } }));
  }

  /** Returns the slots of a date. */
  async slots(of: VariationRef, query: SlotsQuery): Promise<Slot[]> {
    return read(this.api.GET("/api/v1/resellers/activities/{activity}/variations/{variation}/availability", { params: { path: of, query } }));
  }

  /**
   * Holds a slot for a customer until the booking's `expires_at`.
   *
   * The idempotency key makes a retry safe. Pass your order's id, so that a restart of your own process
   * does not book twice either.
   */
  async book(request: BookingRequest, idempotencyKey: string = crypto.randomUUID()): Promise<Booking> {
    return read(this.api.POST("/api/v1/resellers/bookings", { body: request, params: { header: { "Idempotency-Key": idempotencyKey } } }));
  }

  /**
   * Records a payment that succeeded, and confirms the booking at the partner.
   *
   * The reference is the payment provider's: a payment counts once by it. A booking that stays PAID is
   * confirmed later, or needs an operator, as its `attention` says.
   */
  async pay(booking: string, reference: string): Promise<Booking> {
    return this.payment(booking, "succeeded", reference);
  }

  /** Records that the customer's payment failed, and releases the hold. */
  async paymentFailed(booking: string, reference: string): Promise<Booking> {
    return this.payment(booking, "failed", reference);
  }

  /** Releases a hold that the customer no longer wants. */
  async release(booking: string): Promise<Booking> {
    return read(this.api.DELETE("/api/v1/resellers/bookings/{booking}", { params: { path: { booking } } }));
  }

  /**
   * Moves the guests of a confirmed booking to another slot of its variation, and returns the new booking.
   *
   * It is CONFIRMED, and the old one is cancelled. Or it is PAID, because the partner has not answered yet: both
   * are kept until it does. After an error the booking is as it was. A slot that costs more is an error with the
   * code `payment_required` and `paymentDue`, unless the request has the customer's payment.
   */
  async reschedule(booking: string, request: RescheduleRequest, idempotencyKey: string = crypto.randomUUID()): Promise<Booking> {
    const params = { path: { booking }, header: { "Idempotency-Key": idempotencyKey } };
    return read(this.api.POST("/api/v1/resellers/bookings/{booking}/reschedule", { params, body: request }));
  }

  /** Cancels a confirmed booking. */
  async cancel(booking: string, reason?: string): Promise<Booking> {
    return read(this.api.POST("/api/v1/resellers/bookings/{booking}/cancel", { params: { path: { booking } }, body: { reason: reason ?? null } }));
  }

  /** Returns a booking with its history. */
  async booking(id: string): Promise<Booking> {
    return read(this.api.GET("/api/v1/resellers/bookings/{booking}", { params: { path: { booking: id } } }));
  }

  /** Lists bookings, the newest first, page by page, as far as they are read. */
  bookings(query: BookingQuery = {}): AsyncGenerator<Booking> {
    return pages((cursor) => this.api.GET("/api/v1/resellers/bookings", { params: { query: { ...query, ...cursor } } }));
  }

  /**
   * Reads the feed of events, from a cursor of {@link EventsPage} or from the oldest event that is kept,
   * as far as it goes now. Store each page's cursor, also of the last one, which may be empty. A cursor
   * that is too old is a {@link MarketplaceError} with the code `cursor_expired`.
   */
  async *events(after?: string): AsyncGenerator<EventsPage> {
    for (let more = true; more; ) {
      const query = after === undefined ? {} : { after };
      const page = await answered(this.api.GET("/api/v1/resellers/events", { params: { query } }));
      after = page.next_cursor;
      more = page.data.length > 0;
      yield { events: page.data, cursor: after };
    }
  }

  private async payment(booking: string, outcome: "succeeded" | "failed", reference: string): Promise<Booking> {
    return read(this.api.POST("/api/v1/resellers/bookings/{booking}/payment", { params: { path: { booking } }, body: { outcome, reference } }));
  }
}

interface Answer<Body> {
  data?: Body;
  error?: unknown;
  response: Response;
}

/** Returns the data of an answer. */
async function read<Data>(sent: Promise<Answer<{ data: Data }>>): Promise<Data> {
  return (await answered(sent)).data;
}

async function answered<Body>(sent: Promise<Answer<Body>>): Promise<Body> {
  let answer: Answer<Body>;
  try {
    answer = await sent;
  } catch (cause) {
    throw new MarketplaceError("the service did not answer", "no_answer", 0, [], null, { cause });
  }
  if (!answer.response.ok || answer.data === undefined) {
    throw errorOf(answer.response, answer.error);
  }
  return answer.data;
}

interface Page<Entry> {
  data: Entry[];
  pagination: { next_cursor: string | null };
}

/** Reads pages until there is no further one, by their cursors. */
async function* pages<Entry>(page: (cursor: { cursor?: string }) => Promise<Answer<Page<Entry>>>): AsyncGenerator<Entry> {
  for (let cursor: string | null | undefined; cursor !== null; ) {
    const read: Page<Entry> = await answered(page(cursor === undefined ? {} : { cursor }));
    yield* read.data;
    cursor = read.pagination.next_cursor;
  }
}
