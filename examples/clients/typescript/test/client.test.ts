import assert from "node:assert/strict";
import { mock, test } from "node:test";

import { Marketplace, MarketplaceError, verifyEvent } from "../src/index.js";

/** A marketplace whose service answers what is scripted, one answer a request. */
function scripted(...answers: (Response | Error)[]) {
  const requests: Request[] = [];
  const waits: number[] = [];
  const market = new Marketplace({
    baseUrl: "http://service.test/",
    token: "a-token",
    fetch: async (request) => {
      requests.push(request);
      const answer = answers.shift();
      if (answer === undefined || answer instanceof Error) {
        throw answer ?? new Error("no answer is left");
      }
      return answer;
    },
    retries: { wait: async (milliseconds) => void waits.push(milliseconds) },
  });
  return { market, requests, waits };
}

const json = (status: number, body: unknown, headers: Record<string, string> = {}) =>
  new Response(JSON.stringify(body), { status, headers: { "Content-Type": "application/json", ...headers } });

const problem = (status: number, code: string, headers: Record<string, string> = {}) =>
  json(status, { success: 0, error: ["units: is required"], message: "it failed", code: status, error_code: code }, { "X-Request-Id": "r-1", ...headers });

const order = { activity_id: "a", variation_id: "v", availability_id: "s", units: [], contact: { fullName: "Ana", emailAddress: "ana@example.com" } };

test("all pages of a list are read by their cursors", async () => {
  const { market, requests } = scripted(
    json(200, { success: 1, data: [{ _id: "1" }], pagination: { pageSize: 1, next_cursor: "c+1" } }),
    json(200, { success: 1, data: [{ _id: "2" }], pagination: { pageSize: 1, next_cursor: null } }),
  );
  const ids = [];
  for await (const booking of market.bookings({ limit: 1 })) {
    ids.push(booking._id);
  }
  assert.deepEqual(ids, ["1", "2"]);
  assert.equal(requests[1]?.url, "http://service.test/api/v1/resellers/bookings?limit=1&cursor=c%2B1");
  assert.equal(requests[1]?.headers.get("x-api-token"), "a-token");
});

test("a booking is sent again with the same idempotency key when its answer was lost", async () => {
  const { market, requests } = scripted(new Error("connection reset"), json(201, { success: 1, data: { _id: "b" } }));
  assert.equal((await market.book(order))._id, "b");
  const keys = requests.map((request) => request.headers.get("Idempotency-Key"));
  assert.equal(keys.length, 2);
  assert.ok(keys[0]);
  assert.equal(keys[0], keys[1]);
});

test("a reschedule is sent again with its key, and says what the customer has to pay", async () => {
  const due = { success: 0, error: ["5 more"], message: "5 more", code: 409, error_code: "payment_required", payment_due: { amount: 5, currency: "EUR" } };
  const { market, requests } = scripted(new Error("connection reset"), json(409, due), json(200, { success: 1, data: { _id: "n" } }));
  await assert.rejects(market.reschedule("b", { availability_id: "s-2" }), (error: MarketplaceError) => {
    assert.deepEqual([error.code, error.paymentDue], ["payment_required", { amount: 5, currency: "EUR" }]);
    return true;
  });
  assert.equal((await market.reschedule("b", { availability_id: "s-2", reference: "pi-18" }))._id, "n");
  const keys = requests.map((request) => request.headers.get("Idempotency-Key"));
  assert.ok(keys[0] && keys[0] === keys[1] && keys[2] && keys[2] !== keys[0]);
  assert.equal(requests[2]?.url, "http://service.test/api/v1/resellers/bookings/b/reschedule");
});

test("a retry waits for as long as the service asks", async () => {
  const { market, waits } = scripted(problem(429, "rate_limited", { "Retry-After": "7" }), json(200, { success: 1, data: { _id: "b" } }));
  await market.booking("b");
  assert.deepEqual(waits, [7000]);
});

for (const [name, answer] of Object.entries({
  "a refusal": problem(409, "slot_sold_out"),
  "a partner's failure, which needs a new key": problem(502, "partner_error", { "Retry-After": "1" }),
  "an error of the service": problem(500, "internal_error"),
})) {
  test(`a booking is not sent again after ${name}`, async () => {
    const { market, requests } = scripted(answer);
    await assert.rejects(market.book(order), MarketplaceError);
    assert.equal(requests.length, 1);
  });
}

test("an error has the service's code, every wrong field and the request's id", async () => {
  const { market } = scripted(problem(400, "invalid_request"));
  await assert.rejects(market.book(order), (error: MarketplaceError) => {
    assert.deepEqual([error.code, error.status, error.requestId, error.problems], ["invalid_request", 400, "r-1", ["units: is required"]]);
    return true;
  });
});

test("a service that never answers is an error with its cause", async () => {
  const { market, requests } = scripted(...Array.from({ length: 4 }, () => new Error("refused")));
  await assert.rejects(market.booking("b"), (error: MarketplaceError) => error.code === "no_answer" && String(error.cause).includes("refused"));
  assert.equal(requests.length, 4);
});

test("the feed is read from a cursor until a part of it is empty, and every part has its cursor", async () => {
  const { market, requests } = scripted(
    json(200, { success: 1, data: [{ id: "e1" }], next_cursor: "12" }),
    json(200, { success: 1, data: [], next_cursor: "12" }),
  );
  const read = [];
  for await (const page of market.events("11")) {
    read.push([page.events.map((event) => event.id), page.cursor]);
  }
  assert.deepEqual(read, [[["e1"], "12"], [[], "12"]]);
  assert.deepEqual(requests.map((request) => new URL(request.url).searchParams.get("after")), ["11", "12"]);
});

// The example of the Standard Webhooks specification.
const signed = {
  secret: "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
  body: '{"test": 2432232314}',
  headers: { "webhook-id": "msg_p5jXN8AQM9LWM0D4loKWxJek", "webhook-timestamp": "1614265330", "webhook-signature": "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=" },
};

for (const [name, { body, later, right }] of Object.entries({
  "with the right signature is returned": { body: signed.body, later: 60, right: true },
  "that was changed is refused": { body: signed.body + " ", later: 60, right: false },
  "that is old is refused": { body: signed.body, later: 301, right: false },
})) {
  test(`an event of a webhook ${name}`, () => {
    mock.timers.enable({ apis: ["Date"], now: (1614265330 + later) * 1000 });
    try {
      const verify = () => verifyEvent(body, new Headers(signed.headers), signed.secret);
      if (right) {
        assert.deepEqual(verify(), JSON.parse(body));
      } else {
        assert.throws(verify);
      }
    } finally {
      mock.timers.reset();
    }
  });
}
