"""A complete partner in three short files: the six endpoints over HTTP, and the key."""

import hmac
import json
import os
import sys
from collections.abc import Awaitable, Callable
from typing import Any

from aiohttp import web

from booking import Platform
from catalog import CATALOG, Refusal

KEY = os.environ.get("PARTNER_AUTH_KEY", "")
PORT = int(os.environ.get("PORT", "8082"))
platform = Platform()


@web.middleware
async def authorized(request: web.Request, handler: Callable[[web.Request], Awaitable[web.StreamResponse]]) -> web.StreamResponse:
    """Refuse requests without the key, on every path (AUTH-2, AUTH-3, AUTH-5)."""
    given = request.headers.get("Authorization", "").removeprefix("Bearer ")  # a bearer token, or the key alone (AUTH-1)
    if not hmac.compare_digest(given.encode(errors="replace"), KEY.encode()):
        return web.json_response({"message": "The key is missing or wrong."}, status=401)
    return await handler(request)


def endpoint(operation: Callable[[dict[str, Any]], Any]) -> Callable[[web.Request], Awaitable[web.Response]]:
    """Read a JSON body, do what it asks, and answer. A refusal is a 400 with a message (RSV-5, CNF-5, GEN-8)."""

    async def handle(request: web.Request) -> web.Response:
        try:
            body = await request.json()
            if not isinstance(body, dict):
                raise Refusal("The body must be a JSON object.")
            return web.json_response(operation(body))
        except Refusal as refusal:
            return web.json_response({"message": str(refusal)}, status=400)
        except (json.JSONDecodeError, UnicodeError, RecursionError):
            return web.json_response({"message": "The body is not JSON."}, status=400)

    return handle


async def products(_: web.Request) -> web.Response:
    return web.json_response([product.show() for product in CATALOG])  # limit and updated_since are optional (PRD-13, PRD-14)


# A code is one escaped segment of the path, which aiohttp unescapes (RSV-6). The bodies of
# these two are optional (REL-1, CAN-1).
async def release(request: web.Request) -> web.Response:
    return web.json_response(platform.release(request.match_info["code"]))


async def cancel(request: web.Request) -> web.Response:
    return web.json_response(platform.cancel(request.match_info["id"]))


app = web.Application(middlewares=[authorized], client_max_size=64 * 1024)
app.add_routes([
    web.get("/products", products),
    web.post("/availability", endpoint(platform.availability)),
    web.post("/bookings/reserve", endpoint(platform.reserve)),
    web.post("/bookings/confirm", endpoint(platform.confirm)),
    web.delete("/bookings/{code}", release),
    web.post("/bookings/{id}/cancel", cancel),
])

if __name__ == "__main__":
    if not KEY:
        sys.exit("PARTNER_AUTH_KEY is not set: set it to the key that the marketplace presents")
    web.run_app(app, host="127.0.0.1", port=PORT, access_log=None)
