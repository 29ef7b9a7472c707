// A complete partner in three short files: the six endpoints over HTTP, and the key.
import { createHash, timingSafeEqual } from "node:crypto";
import { serve } from "@hono/node-server";
import { type Context, Hono } from "hono";
import { bodyLimit } from "hono/body-limit";
import { Platform } from "./booking.js";
import { type Body, products, Refusal } from "./catalog.js";

const key = process.env.PARTNER_AUTH_KEY;
if (!key) {
  console.error("PARTNER_AUTH_KEY is not set: set it to the key that the marketplace presents");
  process.exit(1);
}
const platform = new Platform();
const app = new Hono();

// Requests without the key are refused, on every path (AUTH-2, AUTH-3, AUTH-5).
app.use(async (c, next) => {
  const given = (c.req.header("Authorization") ?? "").replace(/^Bearer /, ""); // a bearer token, or the key alone (AUTH-1)
  if (!timingSafeEqual(hash(given), hash(key))) return c.json({ message: "The key is missing or wrong." }, 401);
  return next();
});
app.use(bodyLimit({ maxSize: 64 * 1024, onError: (c) => c.json({ message: "The body is too large." }, 413) }));

app.get("/products", (c) => c.json(products())); // limit and updated_since are optional (PRD-13, PRD-14)
app.post("/availability", (c) => answer(c, (body) => platform.availability(body)));
app.post("/bookings/reserve", (c) => answer(c, (body) => platform.reserve(body)));
app.post("/bookings/confirm", (c) => answer(c, (body) => platform.confirm(body)));
// A code is one escaped segment of the path, which Hono unescapes (RSV-6). The bodies of
// these two are optional (REL-1, CAN-1).
app.delete("/bookings/:code", (c) => c.json(platform.release(c.req.param("code"))));
app.post("/bookings/:id/cancel", (c) => c.json(platform.cancel(c.req.param("id"))));

/** Reads a JSON body, does what it asks, and answers. A refusal is a 400 with a message (RSV-5, CNF-5, GEN-8). */
async function answer(c: Context, operation: (body: Body) => object) {
  const body: unknown = await c.req.json().catch(() => undefined);
  if (typeof body !== "object" || body === null) return c.json({ message: "The body must be a JSON object." }, 400);
  return c.json(operation(body as Body));
}

app.onError((error, c) => {
  if (error instanceof Refusal) return c.json({ message: error.message }, 400);
  console.error(error);
  return c.json({ message: "Something failed on our side." }, 500);
});

function hash(text: string) {
  return createHash("sha256").update(text).digest();
}

const port = Number(process.env.PORT ?? 8082);
serve({ fetch: app.fetch, hostname: "127.0.0.1", port }, () => console.log(`minimal-partner: listening on http://127.0.0.1:${port}`));
