// The scripts of these pages. Each part looks for what it is about, and does nothing on other pages. Without
// them the pages work the same.

// "j" and "k" go to the next and the previous entry of a list, or to the pages of these entries. "/" goes to
// the search of the bookings where a page has none of its own.
(() => {
  const step = (by) => {
    const page = document.querySelector(`.walk a[rel=${by > 0 ? "next" : "prev"}]`);
    if (page) {
      location.assign(page.href);
      return;
    }
    const entries = [...document.querySelectorAll("tbody th a")];
    entries[Math.max(0, Math.min(entries.length - 1, entries.indexOf(document.activeElement) + by))]?.focus();
  };
  const search = document.querySelector("form[role=search] input[type=search]");
  const elsewhere = document.querySelector("nav a[data-search]");
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input, textarea, select, [contenteditable]")) {
      return;
    }
    if (event.key === "j" || event.key === "k") {
      step(event.key === "j" ? 1 : -1);
    }
    if (event.key === "/" && !search && elsewhere) {
      event.preventDefault();
      location.assign(elsewhere.href + "#find");
    }
  });
  if (location.hash === "#find") {
    search?.focus();
  }
})();

// The page as it changes: the server sends its content as events. Parts that are the same stay, with the
// focus and with what is typed.
(() => {
  const main = document.querySelector("main");
  const within = (element) => element.closest("main > *")?.getAttribute("aria-labelledby");
  const alike = (root, element) => [...root.querySelectorAll(element.localName)].filter((other) => within(other) === within(element));
  let events;

  const show = (html) => {
    const fresh = new DOMParser().parseFromString(html, "text/html").querySelector("main");
    for (const details of main.querySelectorAll("details")) {
      const same = alike(fresh, details)[alike(main, details).indexOf(details)];
      if (same) {
        same.open = details.open;
      }
    }
    const focused = document.activeElement;
    const place = main.contains(focused) ? alike(main, focused).indexOf(focused) : -1;
    const section = place < 0 ? null : within(focused);
    const old = [...main.children].filter((part) => !part.matches(".note")); // what a button has done stays
    for (const part of [...fresh.children]) {
      const same = old.findIndex((other) => other.isEqualNode(part));
      if (same < 0) {
        old.length ? old[0].before(part) : main.append(part);
        continue;
      }
      old.splice(0, same + 1).slice(0, -1).forEach((gone) => gone.remove());
    }
    old.forEach((gone) => gone.remove());
    if (place >= 0 && !focused.isConnected) {
      const again = [...main.querySelectorAll(focused.localName)].filter((other) => within(other) === section);
      (again.find((other) => other.textContent === focused.textContent) ?? again[place])?.focus({ preventScroll: true });
    }
    if (!fresh.dataset.follow) { // nothing more will happen
      delete main.dataset.follow;
      events.close();
    }
  };

  const follow = () => {
    events?.close();
    if (document.hidden || !main.dataset.follow) {
      return;
    }
    events = new EventSource(main.dataset.follow);
    events.addEventListener("page", (event) => show(event.data));
    events.addEventListener("error", () => {
      if (events.readyState === EventSource.CLOSED) { // refused, for example because too many pages are open
        setTimeout(follow, 30000);
      }
    });
  };
  document.addEventListener("visibilitychange", follow);
  follow();
})();

// A run of the suite as it goes on: each rule that is judged comes as an event.
(() => {
  const progress = document.getElementById("progress");
  if (!progress) {
    return;
  }
  const judged = document.getElementById("judged");
  const bar = document.getElementById("bar");
  const latest = document.getElementById("latest");
  let rules = 0;
  const events = new EventSource(progress.dataset.events);
  events.addEventListener("rule", (event) => {
    const rule = JSON.parse(event.data);
    rules++;
    judged.textContent = String(rules);
    bar.value = rules;
    const line = document.createElement("li");
    const outcome = document.createElement("span");
    outcome.className = "pill " + (rule.outcome === "passed" ? "good" : rule.outcome === "failed" ? "bad" : "mute");
    outcome.textContent = rule.outcome;
    const title = document.createElement("span");
    title.textContent = " " + (rule.title || rule.id);
    line.append(outcome, title);
    latest.prepend(line);
    while (latest.children.length > 12) {
      latest.lastElementChild.remove();
    }
  });
  events.addEventListener("end", () => {
    events.close();
    location.reload();
  });
})();

// What the customer pays is refreshed while what changes it is typed. Without this a button does it.
(() => {
  const form = document.getElementById("edit");
  const prices = document.getElementById("prices");
  if (!prices) {
    return;
  }
  const names = prices.dataset.fields.split(" ");
  let last = 0;
  let timer;
  const refresh = async () => {
    const own = ++last;
    const query = new URLSearchParams({ part: "prices" });
    for (const name of names.flatMap((field) => [field, "was:" + field])) {
      query.set(name, form.elements[name].value);
    }
    let text = "";
    try {
      const answer = await fetch(location.pathname + "?" + query);
      if (!answer.redirected && answer.ok) {
        text = await answer.text();
      }
    } catch {
      // The network is gone. The button tries again.
    }
    if (own !== last) {
      return; // a later answer is shown
    }
    document.getElementById("show-prices").hidden = text !== "";
    prices.innerHTML = text || "<p>The prices could not be loaded.</p>";
  };
  document.getElementById("show-prices").hidden = true;
  form.addEventListener("input", (event) => {
    if (names.includes(event.target.name)) {
      clearTimeout(timer);
      timer = setTimeout(refresh, 200);
    }
  });
})();
