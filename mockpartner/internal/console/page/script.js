// The page is rendered by the mock. This fetches it again when something has
// happened, and puts in the blocks (data-live) that have changed; it sends the
// forms without leaving the page, and lets countdowns run.
"use strict";
(() => {
  const byId = id => document.getElementById(id);
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  document.documentElement.classList.add("scripted");

  // What each block was when it came: what the page has done to it since, such as
  // a countdown, is no reason to put it in again.
  const came = new Map(all("[data-live]").map(block => [block.id, block.outerHTML]));

  // Blocks

  const changed = input =>
    input.type === "checkbox" ? input.checked !== input.defaultChecked
      : input.tagName === "SELECT" ? [...input.options].some(o => o.selected !== o.defaultSelected)
        : input.value !== input.defaultValue;

  // A block that someone writes in is left alone, and one in which a form shows its refusal, with what was refused.
  const written = block => block.querySelector("form.call .refusal") !== null || all("input:not([type=hidden]), textarea, select", block)
    .some(input => changed(input) || input === document.activeElement);

  // So is one in which a button is pressed: if it were replaced before the button is let go,
  // the click would be lost.
  let pressed = null;
  document.addEventListener("pointerdown", event => { pressed = event.target; });
  for (const [on, name] of [[document, "pointerup"], [document, "pointercancel"], [window, "blur"]])
    on.addEventListener(name, () => { if (pressed) { pressed = null; soon(); } });

  // put replaces the blocks that have changed, and the one that was asked for in
  // any case. Focus, open details and scroll positions stay.
  function put(page, asked) {
    for (const next of all("[data-live]", page)) {
      const old = byId(next.id);
      if (!old || came.get(next.id) === next.outerHTML || old.contains(pressed) || (written(old) && !(asked && old.contains(asked)))) continue;
      const focused = old.contains(document.activeElement) && document.activeElement.id;
      const details = new Map(all("details[id]", old).map(d => [d.id, d.open]));
      const scrolled = [old, ...all("[data-scroll]", old)].filter(s => s.id).map(s => [s.id, s.scrollLeft, s.scrollTop]);
      came.set(next.id, next.outerHTML);
      old.replaceWith(document.importNode(next, true));
      for (const [id, open] of details) if (byId(id) && !id.endsWith("-sure")) byId(id).open = open;
      for (const [id, left, top] of scrolled) byId(id)?.scrollTo({ left, top, behavior: "instant" });
      if (focused) byId(focused)?.focus({ preventScroll: true });
    }
    document.title = page.title;
    all("[data-filter]").forEach(filter);
    all("form.call").filter(form => all("input, textarea, select", form).some(changed)).forEach(follow);
    announce();
  }

  async function fetchPage(address, options) {
    const answer = await fetch(address, options);
    if (answer.status === 401) location.reload(); // to sign in
    const type = answer.headers.get("Content-Type") || "";
    if (!type.startsWith("text/html")) throw new Error(`the mock answered with ${answer.status}`);
    return { url: answer.url, ok: answer.ok, page: new DOMParser().parseFromString(await answer.text(), "text/html") };
  }

  const trouble = byId("trouble");
  function say(words) { byId("status").textContent = words; }
  // notify says words so that they are seen too, for a while.
  let notified = 0;
  function notify(words) {
    say(words);
    byId("status").className = "notice";
    clearTimeout(notified);
    notified = setTimeout(() => { byId("status").className = "unseen"; }, 4000);
  }
  function complain(error) {
    trouble.hidden = !error;
    if (error) trouble.textContent = `The mock does not answer (${error.message}). This page tries again every few seconds.`;
  }

  // Keeping up

  // One after the other: a page that was asked for before a change must not come
  // in after it. However much happens, most of the time is the mock's own.
  let turn = Promise.resolve(), waiting = false, took = 0; // the last one, in milliseconds
  const inTurn = work => turn = turn.then(work).then(() => complain(null), complain);

  async function refresh(asked) {
    const address = location.href, begun = performance.now();
    const { page } = await fetchPage(address);
    if (address === location.href) put(page, asked);
    took = performance.now() - begun;
  }
  function soon() {
    if (waiting || document.hidden) return;
    waiting = true;
    setTimeout(() => inTurn(() => { waiting = false; return refresh(); }), Math.max(250, 4 * took));
  }

  // A browser has few connections to one host: a hidden tab gives its
  // own up.
  let events = null;
  function listen() {
    if (document.hidden) { events?.close(); events = null; link("still"); return; }
    if (events) return;
    events = new EventSource("journal/events");
    events.onopen = () => { link("live"); soon(); };
    events.onerror = () => link("lost");
    events.addEventListener("arrived", soon);
    events.addEventListener("ended", soon);
    soon();
  }
  const states = { live: "live", still: "not live", lost: "connecting again…" };
  function link(state) {
    byId("link").dataset.state = state;
    byId("link").textContent = states[state];
  }
  document.addEventListener("visibilitychange", listen);
  setInterval(soon, 5000); // others move the clock, and change slots, without an exchange

  // New exchanges are announced from time to time, for screen readers.
  let shown = Number(byId("exchanges-shown").dataset.last), lastShown = -Infinity;
  function announce() {
    const last = Number(byId("exchanges-shown").dataset.last), now = performance.now();
    if (last < shown) shown = last;
    if (last === shown || now - lastShown < 5000) return;
    const newest = byId(`x-${last}`)?.querySelector(".what")?.textContent.trim() || "";
    say(last - shown === 1 ? `New exchange: ${newest}` : `${last - shown} new exchanges, the last: ${newest}`);
    shown = last;
    lastShown = now;
  }

  // Going about: links and choices that stay on the page

  async function go(address, focus, asked) {
    if (new URL(address, location.href).href !== location.href) history.pushState(null, "", address);
    await inTurn(() => refresh(asked));
    if (!focus) return;
    byId(focus)?.focus();
    byId(focus)?.closest("li")?.scrollIntoView({ block: "nearest" });
  }
  document.addEventListener("click", event => {
    const target = event.target instanceof Element ? event.target : null;
    const link = target?.closest("a[data-go]");
    if (link && !event.metaKey && !event.ctrlKey && !event.shiftKey) {
      event.preventDefault();
      go(link.href, link.dataset.go, link.dataset.go === "slot-title" ? byId("slots-slot") : link);
    }
    const into = target?.closest("[data-into]");
    if (into) {
      const box = byId(into.dataset.into);
      box.value = into.dataset.text;
      box.dispatchEvent(new Event("input", { bubbles: true }));
      box.focus();
    }
    const copy = target?.closest("[data-copy]");
    if (copy) navigator.clipboard.writeText(byId(copy.dataset.copy).textContent).then(() => notify("Copied"), () => notify("The browser does not allow copying: select the command"));
  });
  window.addEventListener("popstate", () => inTurn(() => refresh()));
  document.addEventListener("change", event => {
    const form = event.target.closest("form[data-choose]");
    if (form) form.requestSubmit();
  });

  // The menu stays in sight while the page scrolls, so a click elsewhere and Escape close it.
  document.addEventListener("pointerdown", event => { if (!byId("curl").contains(event.target)) byId("curl").open = false; });
  document.addEventListener("keydown", event => {
    if (event.key !== "Escape" || !byId("curl").open) return;
    byId("curl").open = false;
    byId("curl").querySelector("summary").focus();
  });

  // Forms

  // Who pressed a button that has gone, or is off now, goes on where it was.
  function refocus(button, block) {
    const next = byId(button);
    const place = next && !next.disabled ? next : byId(block)?.querySelector("[tabindex='-1']") || byId(block)?.closest("section").querySelector("[tabindex='-1']");
    place?.focus({ preventScroll: true });
  }

  async function send(form, body) {
    const button = form.querySelector("button").id, block = form.closest("[data-live]").id;
    const { url, ok, page } = await fetchPage(location.pathname + location.search, { method: "POST", body });
    if (new URL(url).pathname !== location.pathname) { location.assign(url); return; }
    came.delete(block); // even if it looks as before
    put(page, byId(form.id));
    if (ok) {
      notify(`Done: ${form.dataset.label}`);
      lastShown = performance.now(); // exchanges are announced after it
    }
    if (document.activeElement === document.body) refocus(button, block);
  }
  document.addEventListener("submit", event => {
    const form = event.target;
    if (form.matches("form.call")) {
      event.preventDefault();
      if (form.hasAttribute("aria-busy")) return;
      const body = new URLSearchParams(new FormData(form));
      form.setAttribute("aria-busy", "true");
      inTurn(() => send(form, body)).then(() => form.removeAttribute("aria-busy"));
    }
    if (form.matches("form[data-choose]")) {
      event.preventDefault();
      go("?" + new URLSearchParams(new FormData(form)), null, form);
    }
  });

  // The curl line of a form follows what is entered.
  function bodyOf(form) {
    const members = {};
    for (const [input, value] of new FormData(form)) {
      const [kind, name] = input.split(/:(.*)/s);
      if (name === undefined || value === "") continue;
      if (kind === "raw") return value;
      members[name] = kind === "flag" ? value === "true" : kind === "list" ? [value] : kind === "secret" ? "…" : value;
      if (kind === "number" && /^-?(0|[1-9][0-9]*)$/.test(value)) members[name] = JSON.rawJSON ? JSON.rawJSON(value) : Number(value);
    }
    return Object.keys(members).length ? JSON.stringify(members) : "";
  }
  const quoted = text => `'${text.replaceAll("'", `'\\''`)}'`;
  document.addEventListener("input", event => {
    if (event.target.matches("[data-filter]")) filter(event.target);
    const form = event.target.closest("form.call");
    if (form) follow(form);
  });
  function follow(form) {
    const line = byId(`${form.id}-curl`);
    line.dataset.head ??= line.textContent.split(/ -X | --data-binary | 'http/)[0];
    line.dataset.address ??= line.textContent.slice(line.textContent.lastIndexOf(" 'http"));
    const body = bodyOf(form), method = form.dataset.method;
    line.textContent = line.dataset.head + (body === "" || method !== "POST" ? ` -X ${method}` : "") +
      (body === "" ? "" : ` --data-binary ${quoted(body)}`) + line.dataset.address;
  }

  function filter(input) {
    const words = input.value.toLowerCase();
    for (const row of byId(input.dataset.filter)?.children || []) row.hidden = !row.textContent.toLowerCase().includes(words);
  }

  // Time

  // The mock's clock at the last reading, advanced by this machine's clock.
  let read = { at: 0, face: null };
  function now() {
    const face = byId("face");
    if (read.face !== face) read = { at: performance.now(), face };
    return Number(face.dataset.now) + ("frozen" in face.dataset ? 0 : performance.now() - read.at);
  }
  function words(millis) {
    const seconds = Math.max(Math.ceil(millis / 1000), 0), pad = n => String(n).padStart(2, "0");
    const days = Math.floor(seconds / 86400), hours = Math.floor(seconds / 3600) % 24;
    const rest = `${pad(Math.floor(seconds / 60) % 60)}:${pad(seconds % 60)}`;
    if (days) return `${days} day${days > 1 ? "s" : ""} ${hours} h`;
    return hours ? `${hours}:${rest}` : rest.replace(/^0(\d:)/, "$1");
  }
  function tick() {
    const time = now();
    const face = new Date(time);
    const hour = byId("face").querySelector(".hour");
    const shown = face.toISOString().slice(11, 19);
    if (hour.textContent !== shown) hour.textContent = shown;
    for (const left of all("[data-expires]")) {
      const missing = Number(left.dataset.expires) - time, text = words(missing);
      if (left.textContent !== text) left.textContent = text;
      left.classList.toggle("near", missing < 60000);
      if (missing <= 0) soon();
    }
  }
  setInterval(tick, 500);
  tick();
  listen();
})();
