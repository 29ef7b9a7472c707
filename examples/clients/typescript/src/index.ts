export * from "./client.js";
export { MarketplaceError, type Price } from "./error.js";
export { type Event, type EventsPage, verifyEvent } from "./event.js";
export type { Retries } from "./retry.js";
export type { components, operations, paths } from "./schema.js";
