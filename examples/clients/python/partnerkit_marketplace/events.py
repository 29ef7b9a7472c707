from __future__ import annotations

import base64
import hashlib
import hmac
import json
import time
from collections.abc import Mapping
from typing import cast

from .types import Event

TOLERANCE = 300.0
"""How far the time of an event may be from ours, in seconds: an old one may have been recorded and sent again."""


class SignatureError(Exception):
    """A request to a webhook that the marketplace has not signed: answer with 401."""


def verify_event(body: bytes, headers: Mapping[str, str], secret: str, now: float | None = None) -> Event:
    """Returns the event that a webhook has received, if its signature is right (Standard Webhooks).

    The body is the request's as it was received. Events may arrive twice: remember their ids.
    """
    given = {name.lower(): value for name, value in headers.items()}
    id, at, signatures = (given.get(f"webhook-{name}", "") for name in ("id", "timestamp", "signature"))
    if not at.isdecimal() or abs((time.time() if now is None else now) - int(at)) > TOLERANCE:
        raise SignatureError("the event has no time, or is not of the last five minutes")
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = hmac.new(key, f"{id}.{at}.".encode() + body, hashlib.sha256).digest()
    expected = b"v1," + base64.b64encode(signed)
    if not any(hmac.compare_digest(signature.encode(), expected) for signature in signatures.split()):
        raise SignatureError("the signature is not of this secret")
    return cast(Event, json.loads(body))
