/** How a client retries. */
export interface Retries {
  /** How often a request is sent at most. */
  attempts: number;
  /** How long one attempt may take, in milliseconds. */
  timeout: number;
  /** Waits so many milliseconds; tests replace it. */
  wait: (milliseconds: number) => Promise<void>;
}

/** The longest that a client waits because the service asks it to, in milliseconds. */
const longest = 60_000;

/** Statuses of reserve's partner: the slot may be held there under the old key, so that a retry needs a new one. */
const needsNewKey = new Set([502, 504]);

/**
 * Requests that are sent once: a repeated one would make a second webhook, or rotate a secret twice, so that
 * the one that is in use no longer signs.
 */
const sentOnce = /\/webhooks(\/[^/]+\/secret)?$/;

/**
 * Returns a fetch that retries what is safe to send again: reads, and requests that the service
 * counts once (a booking with its idempotency key, a payment with its reference, a release, a
 * cancellation). It waits for as long as `Retry-After` says, else with exponential backoff and jitter.
 */
export function retrying(fetch: (request: Request) => Promise<Response>, retries: Retries) {
  return async (request: Request): Promise<Response> => {
    const attempts = request.method === "POST" && sentOnce.test(new URL(request.url).pathname) ? 1 : retries.attempts;
    for (let attempt = 1; ; attempt++) {
      const last = attempt >= attempts;
      const deadline = AbortSignal.timeout(retries.timeout);
      try {
        const response = await fetch(new Request(request.clone(), { signal: AbortSignal.any([request.signal, deadline]) }));
        if (last || !isTemporary(request, response)) {
          return response;
        }
        await response.body?.cancel();
        await retries.wait(pause(attempt, response.headers.get("Retry-After")));
      } catch (cause) {
        if (last || request.signal.aborted) {
          throw cause;
        }
        await retries.wait(pause(attempt, null));
      }
    }
  };
}

function isTemporary(request: Request, response: Response): boolean {
  if (response.status === 429 || response.status === 503) {
    return true;
  }
  if (response.status === 409) {
    return response.headers.has("Retry-After"); // the first request with this key is under way
  }
  return needsNewKey.has(response.status) && !request.headers.has("Idempotency-Key");
}

function pause(attempt: number, retryAfter: string | null): number {
  const asked = Number(retryAfter) * 1000;
  if (retryAfter !== null && asked >= 0) {
    return Math.min(asked, longest);
  }
  return Math.min(200 * 2 ** (attempt - 1), 5_000) * (0.5 + Math.random() / 2);
}
