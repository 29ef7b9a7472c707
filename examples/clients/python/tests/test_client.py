from __future__ import annotations

import unittest
from collections.abc import Callable

import httpx

from partnerkit_marketplace import Marketplace, MarketplaceError, SignatureError, verify_event
from partnerkit_marketplace.types import BookingRequest

ORDER: BookingRequest = {
    "activity_id": "a",
    "variation_id": "v",
    "availability_id": "s",
    "units": [{"type": "ADULT", "quantity": 1}],
    "contact": {"fullName": "Ana", "emailAddress": "ana@example.com"},
}

Answer = Callable[[], httpx.Response]


def answer(status: int, body: object, **headers: str) -> Answer:
    return lambda: httpx.Response(status, json=body, headers={name.replace("_", "-"): value for name, value in headers.items()})


def problem(status: int, code: str, **headers: str) -> Answer:
    body = {"success": 0, "error": ["units: is required"], "message": "it failed", "code": status, "error_code": code}
    return answer(status, body, X_Request_Id="r-1", **headers)


def lost() -> httpx.Response:
    raise httpx.ReadError("connection reset")


class ScriptedService:
    """A marketplace whose service gives one answer a request."""

    def __init__(self, *answers: Answer) -> None:
        self.answers, self.requests, self.waits = list(answers), list[httpx.Request](), list[float]()
        self.market = Marketplace("http://service.test/", "a-token", transport=httpx.MockTransport(self.next), wait=self.waits.append)

    def next(self, request: httpx.Request) -> httpx.Response:
        self.requests.append(request)
        return self.answers.pop(0)()


class ClientTest(unittest.TestCase):
    def test_all_pages_of_a_list_are_read_by_their_cursors(self) -> None:
        service = ScriptedService(
            answer(200, {"success": 1, "data": [{"_id": "1"}], "pagination": {"pageSize": 1, "next_cursor": "c+1"}}),
            answer(200, {"success": 1, "data": [{"_id": "2"}], "pagination": {"pageSize": 1, "next_cursor": None}}),
        )
        self.assertEqual([booking["_id"] for booking in service.market.bookings(limit=1)], ["1", "2"])
        self.assertEqual(str(service.requests[1].url), "http://service.test/api/v1/resellers/bookings?limit=1&cursor=c%2B1")
        self.assertEqual(service.requests[1].headers["x-api-token"], "a-token")

    def test_a_booking_is_sent_again_with_the_same_idempotency_key_when_its_answer_was_lost(self) -> None:
        service = ScriptedService(lost, answer(201, {"success": 1, "data": {"_id": "b"}}))
        self.assertEqual(service.market.book(ORDER)["_id"], "b")
        keys = [request.headers["Idempotency-Key"] for request in service.requests]
        self.assertEqual(len(keys), 2)
        self.assertEqual(keys[0], keys[1])

    def test_a_reschedule_is_sent_again_with_its_key_and_says_what_the_customer_has_to_pay(self) -> None:
        due = {"amount": 5, "currency": "EUR"}
        refused = {"success": 0, "error": ["5 more"], "message": "5 more", "code": 409, "error_code": "payment_required", "payment_due": due}
        service = ScriptedService(lost, answer(409, refused), answer(200, {"success": 1, "data": {"_id": "n"}}))
        with self.assertRaises(MarketplaceError) as raised:
            service.market.reschedule("b", {"availability_id": "s-2"})
        self.assertEqual((raised.exception.code, raised.exception.payment_due), ("payment_required", due))
        self.assertEqual(service.market.reschedule("b", {"availability_id": "s-2", "reference": "pi-18"})["_id"], "n")
        keys = [request.headers["Idempotency-Key"] for request in service.requests]
        self.assertEqual(keys[0], keys[1])
        self.assertNotEqual(keys[0], keys[2])
        self.assertEqual(str(service.requests[2].url), "http://service.test/api/v1/resellers/bookings/b/reschedule")

    def test_a_retry_waits_for_as_long_as_the_service_asks(self) -> None:
        service = ScriptedService(problem(429, "rate_limited", Retry_After="7"), answer(200, {"success": 1, "data": {"_id": "b"}}))
        service.market.booking("b")
        self.assertEqual(service.waits, [7])

    def test_a_booking_is_not_sent_again_after_a_refusal_or_a_failure_that_needs_a_new_key(self) -> None:
        for refused in (problem(409, "slot_sold_out"), problem(502, "partner_error", Retry_After="1"), problem(500, "internal_error")):
            service = ScriptedService(refused)
            with self.assertRaises(MarketplaceError):
                service.market.book(ORDER)
            self.assertEqual(len(service.requests), 1)

    def test_an_error_has_the_code_every_wrong_field_and_the_id_of_the_request(self) -> None:
        with self.assertRaises(MarketplaceError) as raised:
            ScriptedService(problem(400, "invalid_request")).market.book(ORDER)
        error = raised.exception
        self.assertEqual((error.code, error.status, error.request_id, error.problems), ("invalid_request", 400, "r-1", ("units: is required",)))

    def test_a_service_that_never_answers_is_an_error_with_its_cause(self) -> None:
        service = ScriptedService(lost, lost, lost, lost)
        with self.assertRaises(MarketplaceError) as raised:
            service.market.booking("b")
        self.assertEqual(raised.exception.code, "no_answer")
        self.assertIsInstance(raised.exception.__cause__, httpx.ReadError)
        self.assertEqual(len(service.requests), 4)

    def test_the_feed_is_read_from_a_cursor_until_a_part_of_it_is_empty(self) -> None:
        service = ScriptedService(
            answer(200, {"success": 1, "data": [{"id": "e1"}], "next_cursor": "12"}), answer(200, {"success": 1, "data": [], "next_cursor": "12"})
        )
        pages = list(service.market.events("11"))
        self.assertEqual([(len(page["data"]), page["next_cursor"]) for page in pages], [(1, "12"), (0, "12")])
        self.assertEqual([request.url.params["after"] for request in service.requests], ["11", "12"])


class EventTest(unittest.TestCase):
    """The example of the Standard Webhooks specification."""

    SECRET, AT, BODY = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", 1614265330, b'{"test": 2432232314}'
    HEADERS = {
        "Webhook-Id": "msg_p5jXN8AQM9LWM0D4loKWxJek",
        "Webhook-Timestamp": str(AT),
        "Webhook-Signature": "v1,bm90IHRoaXM= v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=",
    }

    def test_an_event_with_the_right_signature_is_returned(self) -> None:
        self.assertEqual(verify_event(self.BODY, self.HEADERS, self.SECRET, self.AT + 60), {"test": 2432232314})

    def test_an_event_that_was_changed_or_is_old_or_is_not_signed_is_refused(self) -> None:
        unsigned = {name: "" for name in self.HEADERS}
        for body, headers, later in ((self.BODY + b" ", self.HEADERS, 0), (self.BODY, self.HEADERS, 301), (self.BODY, unsigned, 0)):
            with self.assertRaises(SignatureError):
                verify_event(body, headers, self.SECRET, self.AT + later)


if __name__ == "__main__":
    unittest.main()
