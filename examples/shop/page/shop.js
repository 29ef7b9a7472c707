import { Marketplace, MarketplaceError } from "./client.js";

// The server has the token, and adds it.
const market = new Marketplace({ baseUrl: location.origin, token: "" });

const daysShown = 14;
const at = (id) => document.getElementById(id);
const filters = at("filters");

/** Makes an element. Texts are never HTML, because partners write some of them. */
function make(tag, properties, ...children) {
  const element = Object.assign(document.createElement(tag), properties);
  element.append(...children.filter((child) => child !== null));
  return element;
}

const money = (amount, currency) => new Intl.NumberFormat("en", { style: "currency", currency }).format(amount);
const isoDate = (date) => `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, "0")}-${String(date.getDate()).padStart(2, "0")}`;
const dayWords = (date) => new Date(`${date}T00:00`).toLocaleDateString("en", { weekday: "short", day: "numeric", month: "short" });

/** Returns the local time of a start, which is written in the activity's zone. */
const timeOf = (start) => start.slice(11, 16);

/** Returns the start of a tour, or the hours in which guests may come. */
function hoursOf(variation, slot) {
  const [start, end] = [timeOf(slot.start), slot.end && timeOf(slot.end)];
  if (variation.availability_type === "START_TIME" || !end) return start;
  return start === end ? "All day" : `${start} to ${end}`;
}

function addDays(date, days) {
  const later = new Date(`${date}T00:00`);
  later.setDate(later.getDate() + days);
  return isoDate(later);
}

function nextSaturday() {
  const today = new Date();
  return addDays(isoDate(today), (6 - today.getDay() + 7) % 7 || 7);
}

/** Says why something was refused, in words for the customer. */
function reasonOf(error) {
  if (!(error instanceof MarketplaceError)) {
    return ["Something went wrong in this page. Please load it again."];
  }
  const partner = make("q", {}, error.message);
  switch (error.code) {
    case "slot_sold_out":
      return ["There are not enough seats left at this time. Choose another time or fewer guests."];
    case "reserve_refused":
      return ["The organiser did not accept this booking: ", partner, " Choose another time, or change the guests."];
    case "slot_started":
      return ["This tour has already begun. Choose a later time."];
    case "hold_expired":
      return ["Your seats are no longer held. Choose a time again."];
    case "booking_state":
      return ["This booking cannot be changed any more: ", partner];
    case "no_exchange_rate":
      return ["There is no price in this currency. Choose another currency."];
    case "invalid_request":
      return ["Please check your entries: ", (error.problems.length > 0 ? error.problems : [error.message]).join("; ")];
    case "partner_error":
      return ["The organiser's system does not work at the moment. Nothing was booked. Try again in a few minutes."];
    case "partner_timeout":
      return ["The organiser did not answer in time. Nothing was booked. Try again in a few minutes."];
    case "rate_limited":
      return ["Too many requests. Wait a minute, and try again."];
    case "no_answer":
      return ["The shop cannot be reached. Check your connection, and try again."];
    default:
      return ["This did not work: ", partner];
  }
}

/** Runs a step of the customer with its button disabled, and says why it was refused. */
async function attempt(button, step) {
  at("message").replaceChildren();
  button.disabled = true;
  try {
    await step();
  } catch (error) {
    (button.closest("section") ?? filters).after(at("message"));
    at("message").replaceChildren(...reasonOf(error));
    at("message").scrollIntoView({ block: "nearest" });
    if (!(error instanceof MarketplaceError)) throw error;
  } finally {
    button.disabled = false;
  }
}

function choose(button, of) {
  for (const other of of.querySelectorAll("[aria-pressed]")) other.setAttribute("aria-pressed", String(other === button));
}

function show(section, title) {
  at(section).hidden = false;
  at(`${section}-title`).textContent = title;
  at(`${section}-title`).focus();
}

/** Returns the lowest price of an adult, or of a group: what the marketplace filters and sorts by. */
function priceFrom(activity) {
  const prices = activity.variations.flatMap(({ pricing }) => pricing.group_price ?? pricing.units.filter((unit) => unit.type === "ADULT").map((unit) => unit.price));
  return prices.length > 0 ? `from ${money(Math.min(...prices), activity.currency)}` : "";
}

async function search() {
  const entered = Object.fromEntries([...new FormData(filters)].filter(([, value]) => value !== ""));
  const found = [];
  for await (const activity of market.activities(entered)) {
    found.push(activity);
    if (found.length === 60) break;
  }
  at("chosen").hidden = at("booking").hidden = true;
  const dates = entered.date_from === entered.date_to ? `on ${dayWords(entered.date_from)}` : `from ${dayWords(entered.date_from)} to ${dayWords(entered.date_to)}`;
  at("results-title").textContent = `${found.length === 1 ? "1 activity" : `${found.length} activities`} ${dates}`;
  at("activities").replaceChildren(...found.map((activity) => {
    const button = make("button", { type: "button" }, "See dates", make("span", { className: "unseen" }, ` of ${activity.activity_title}`));
    button.onclick = () => attempt(button, () => showCalendar(activity, entered));
    return make("li", { className: "card" },
      make("h3", {}, activity.activity_title),
      make("p", { className: "soft" }, [activity.location?.city, activity.partner_details.name].filter(Boolean).join(" · ")),
      make("p", { className: "price" }, priceFrom(activity)), button);
  }));
}

const dayStatus = { AVAILABLE: "Available", FREESALE: "Available", LIMITED: "Few left", SOLD_OUT: "Sold out", NONE: "No tour" };

/** Shows the days of all variations of an activity. */
async function showCalendar(activity, { date_from: from, currency }) {
  const calendars = await market.activityCalendar(activity._id, { from, to: addDays(from, daysShown - 1), currency });
  at("times").replaceChildren();
  at("booking").hidden = true;
  at("calendar").replaceChildren(...activity.variations.flatMap((variation) => {
    const days = calendars.find((calendar) => calendar.variation_id === variation._id)?.days ?? [];
    return [make("h3", {}, variation.title), make("ul", { className: "days" }, ...days.map((day) => make("li", {}, dayButton(activity, variation, day, currency))))];
  }));
  show("chosen", activity.activity_title);
}

function dayButton(activity, variation, day, currency) {
  const open = ["AVAILABLE", "FREESALE", "LIMITED"].includes(day.status);
  const price = !open ? null : day.from_price === null ? `no price in ${currency}` : money(day.from_price, currency);
  const button = make("button", { type: "button", disabled: !open || day.from_price === null },
    make("span", {}, dayWords(day.date)), make("small", {}, dayStatus[day.status]), price === null ? null : make("small", {}, price));
  button.dataset.day = day.date;
  button.setAttribute("aria-pressed", "false");
  button.onclick = () => attempt(button, async () => {
    choose(button, at("calendar"));
    await showTimes(activity, variation, day.date, currency);
  });
  return button;
}

async function showTimes(activity, variation, date, currency) {
  const slots = await market.slots({ activity: activity._id, variation: variation._id }, { date, currency });
  const buttons = slots.map((slot) => {
    const seats = slot.bookable ? (slot.vacancies === null ? "" : `${slot.vacancies} left`) : "sold out";
    const button = make("button", { type: "button", disabled: !slot.bookable }, make("span", {}, hoursOf(variation, slot)), make("small", {}, seats));
    button.setAttribute("aria-pressed", "false");
    button.onclick = () => {
      choose(button, at("times"));
      askForGuests(activity, variation, slot, date);
    };
    return make("li", {}, button);
  });
  at("booking").hidden = true;
  const title = make("h3", { tabIndex: -1 }, `${variation.title}, ${dayWords(date)}`);
  at("times").replaceChildren(title, slots.length > 0 ? make("ul", { className: "days" }, ...buttons) : make("p", {}, "Nothing starts on this day any more."));
  title.focus();
}

function askForGuests(activity, variation, slot, date) {
  const guests = slot.pricing.units.map((unit) => {
    const price = slot.pricing.group_price === null ? ` (${money(unit.price, slot.currency)})` : "";
    return make("label", {}, `${unit.label || unit.type}${price} `, make("input", { type: "number", min: 0, max: 50, name: unit.type, value: unit.type === "ADULT" ? 1 : 0, required: true }));
  });
  const button = make("button", { className: "main" }, "Hold these seats");
  const form = make("form", {}, ...guests,
    make("label", {}, "Your name ", make("input", { name: "fullName", required: true, autocomplete: "name" })),
    make("label", {}, "Your email ", make("input", { name: "emailAddress", type: "email", required: true, autocomplete: "email" })), button);
  form.onsubmit = (event) => {
    event.preventDefault();
    const entered = new FormData(form);
    attempt(button, async () => {
      const units = slot.pricing.units.map(({ type }) => ({ type, quantity: Number(entered.get(type)) })).filter((unit) => unit.quantity > 0);
      showBooking(await market.book({
        activity_id: activity._id, variation_id: variation._id, availability_id: slot.availability_id, units, currency: slot.currency,
        contact: { fullName: entered.get("fullName"), emailAddress: entered.get("emailAddress") },
      }));
    });
  };
  at("order").replaceChildren(form);
  show("booking", `${activity.activity_title}, ${dayWords(date)} at ${timeOf(slot.start)}`);
}

/** Returns one form of a ticket. The address of a PDF is the partner's. */
function ticketOf({ deliveryFormat, deliveryValue }) {
  if (deliveryFormat === "PDF_URL" && /^https?:/i.test(deliveryValue)) {
    return make("a", { href: deliveryValue, target: "_blank", rel: "noopener noreferrer" }, "Your ticket as PDF");
  }
  return make("span", {}, `${deliveryFormat}: `, make("code", {}, deliveryValue));
}

const bookingTitles = {
  HELD: "Your seats are held", PAID: "Your payment has arrived", CONFIRMED: "Your booking is confirmed", CANCELLED: "Your booking is cancelled", RELEASED: "Your seats are free again",
};

/** Shows a booking with what the customer can do next. */
function showBooking(booking) {
  const act = (label, className, step) => {
    const button = make("button", { type: "button", className }, label);
    button.onclick = () => attempt(button, async () => showBooking(await step()));
    return button;
  };
  const actions = {
    HELD: [act(`Pay ${money(booking.total, booking.currency)}`, "main", () => pay(booking)), act("Give up these seats", "", () => market.release(booking._id))],
    PAID: [act("Look again", "", () => market.booking(booking._id))],
    CONFIRMED: [act("Cancel this booking", "", () => market.cancel(booking._id, "The customer cancelled in the shop."))],
  }[booking.status] ?? [];
  const note = {
    HELD: `Please pay before ${new Date(booking.expires_at).toLocaleTimeString("en", { hour: "2-digit", minute: "2-digit" })}.`,
    PAID: "The organiser has not confirmed yet. We will write to you.",
    CONFIRMED: `Your booking number is ${booking.external_booking_id}.`,
    CANCELLED: "The organiser has been told.",
    RELEASED: "You paid nothing.",
  }[booking.status];
  const tickets = booking.tickets.flatMap((ticket) => ticket.deliveryOptions.map((option) => make("li", {}, ticketOf(option))));
  at("order").replaceChildren(make("div", { className: "panel" },
    make("p", {}, `${booking.activity_title}, ${booking.variation_title}, ${dayWords(booking.start.slice(0, 10))} at ${timeOf(booking.start)}`),
    make("p", { className: "soft" }, `${booking.units.map((unit) => `${unit.quantity} × ${unit.type.toLowerCase()}`).join(", ")}: ${money(booking.total, booking.currency)}`),
    make("p", { className: booking.status === "CONFIRMED" ? "good" : "" }, note),
    tickets.length > 0 ? make("ul", { className: "tickets" }, ...tickets) : null,
    actions.length > 0 ? make("div", { className: "row" }, ...actions) : null));
  show("booking", bookingTitles[booking.status]);
}

/** Pays at the shop's server, which reports the payment. */
async function pay(booking) {
  const answer = await fetch(`/pay/${booking._id}`, { method: "POST" });
  const body = await answer.json();
  if (!answer.ok) throw new MarketplaceError(body.message, body.error_code, answer.status, body.error);
  return body.data;
}

filters.elements.date_from.value = filters.elements.date_to.value = nextSaturday();
filters.onsubmit = (event) => {
  event.preventDefault();
  attempt(filters.querySelector("button"), search);
};
await attempt(filters.querySelector("button"), search);
