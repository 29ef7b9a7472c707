"""Prints the events of the feed, as they come. With --once it prints those that there are, and ends.

MARKETPLACE=http://127.0.0.1:8080 TOKEN=… python3 -m examples.listen
"""

import json
import os
import sys
import time

from partnerkit_marketplace import Marketplace


def main() -> None:
    once = "--once" in sys.argv
    cursor = None  # a program that must not miss an event stores it
    with Marketplace(os.environ["MARKETPLACE"], os.environ["TOKEN"]) as market:
        while True:
            for page in market.events(cursor):
                cursor = page["next_cursor"]
                for event in page["data"]:
                    print(event["timestamp"], event["type"], json.dumps(event["data"]), flush=True)
            if once:
                return
            time.sleep(1)


if __name__ == "__main__":
    main()
