/** An amount in a currency. */
export interface Price {
  amount: number;
  currency: string;
}

/**
 * A request that failed: the service refused it, or did not answer.
 *
 * Decide by `code`, which is never renamed; `message` is for people.
 */
export class MarketplaceError extends Error {
  override readonly name = "MarketplaceError";

  constructor(
    message: string,
    /** The service's `error_code`, such as `slot_sold_out`, or `no_answer`. */
    readonly code: string,
    /** The HTTP status; 0 where no answer was received. */
    readonly status: number,
    /** Every wrong field of the request, in words. */
    readonly problems: readonly string[] = [],
    /** The `X-Request-Id` of the answer: the operator finds the request in the log by it. */
    readonly requestId: string | null = null,
    options?: ErrorOptions,
    /** What a new slot costs more, for the code `payment_required`. */
    readonly paymentDue: Price | null = null,
  ) {
    super(message, options);
  }
}

/** Makes an error of an answer whose status is not 2xx; its body may be anything. */
export function errorOf(response: Response, body: unknown): MarketplaceError {
  const said = (typeof body === "object" && body !== null ? body : {}) as Partial<Record<string, unknown>>;
  const problems = Array.isArray(said["error"]) ? said["error"].map(String) : [];
  return new MarketplaceError(
    typeof said["message"] === "string" && said["message"] !== "" ? said["message"] : `the service answered ${response.status}`,
    typeof said["error_code"] === "string" ? said["error_code"] : "unexpected_answer",
    response.status,
    problems,
    response.headers.get("X-Request-Id"),
    undefined,
    (said["payment_due"] as Price | undefined) ?? null,
  );
}
