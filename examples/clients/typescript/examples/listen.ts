// Prints the events of the feed, as they come. With --once it prints those that there are, and ends.
//
//   MARKETPLACE=http://127.0.0.1:8080 TOKEN=… npm run -s listen
import { Marketplace } from "../src/index.js";

const market = new Marketplace({ baseUrl: setting("MARKETPLACE"), token: setting("TOKEN") });
const once = process.argv.includes("--once");

let cursor: string | undefined; // a program that must not miss an event stores it
do {
  for await (const page of market.events(cursor)) {
    cursor = page.cursor;
    for (const event of page.events) {
      console.log(event.timestamp, event.type, JSON.stringify(event.data));
    }
  }
  if (!once) {
    await new Promise((resolve) => setTimeout(resolve, 1000));
  }
} while (!once);

function setting(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === "") {
    throw new Error(`${name} is not set`);
  }
  return value;
}
