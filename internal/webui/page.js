// What all pages share. Without this script they work too. A page that names a stream of events
// (data-events) keeps its blocks (data-live) up to date, and its links (data-go), choices (data-choose)
// and calls (form.call) stay on the page. The server sends only blocks whose version has changed.
"use strict";
(() => {
  const byId = id => document.getElementById(id);
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  const tell = (name, detail) => document.dispatchEvent(new CustomEvent(name, { detail }));
  document.documentElement.classList.add("scripted");

  // A field filters a list while it is typed in, by each of its words, and opens the groups that are left.
  function filter(input) {
    const list = byId(input.dataset.filter), words = input.value.toLowerCase().split(/\s+/);
    if (!list) return;
    for (const row of all("li", list)) row.hidden = !words.every(word => row.textContent.toLowerCase().includes(word));
    for (const group of all("details", list)) {
      group.dataset.open ??= group.open;
      group.hidden = !group.querySelector("li:not([hidden])");
      group.open = input.value ? !group.hidden : group.dataset.open === "true";
    }
  }
  document.addEventListener("input", event => { if (event.target.matches("[data-filter]")) filter(event.target); });

  // A button copies the text of an element. Without HTTPS there is no clipboard: then the text is selected.
  async function copy(button) {
    const text = byId(button.dataset.copy), label = [...button.childNodes];
    let copied = true;
    try {
      await navigator.clipboard.writeText(text.textContent);
    } catch {
      getSelection().selectAllChildren(text);
      copied = document.execCommand("copy");
    }
    button.textContent = copied ? "Copied" : "Selected: copy it with your browser";
    setTimeout(() => button.replaceChildren(...label), 3000);
  }
  for (const button of all("button[data-copy]")) button.hidden = false;
  document.addEventListener("click", event => {
    const button = event.target.closest("[data-copy]");
    if (button) copy(button);
  });

  // Commands have the address of this server, which the page does not know when it is rendered.
  for (const place of all("[data-server]")) place.textContent = new URL(place.dataset.server, location.href).href.replace(/[/]$/, "");

  // "/" goes to the search field, and Escape leaves it.
  const search = document.querySelector("form[role=search] input[type=search]");
  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || !search) return;
    if (event.key === "Escape" && event.target === search) search.blur();
    if (event.key !== "/" || event.target.closest("input, textarea, select")) return;
    event.preventDefault();
    search.select();
  });

  if (!document.body.dataset.events) return;

  // Blocks

  const changed = input =>
    input.type === "checkbox" ? input.checked !== input.defaultChecked
      : input.tagName === "SELECT" ? [...input.options].some(o => o.selected !== o.defaultSelected)
        : input.value !== input.defaultValue;
  // A block that someone writes in is left alone, and one in which a form shows its refusal, with what was refused.
  const written = block => block.querySelector("form.call .refusal") !== null || all("input:not([type=hidden]), textarea, select", block)
    .some(input => changed(input) || input === document.activeElement);
  // So is one in which a button is pressed: if it were replaced before the button is let go, the click would be lost.
  let pressed = null;
  document.addEventListener("pointerdown", event => { pressed = event.target; });
  for (const [on, name] of [[document, "pointerup"], [document, "pointercancel"], [window, "blur"]])
    on.addEventListener(name, () => { if (pressed) { pressed = null; soon(); } });

  // put replaces blocks. Focus, open details and scroll positions stay.
  function put(page, asked) {
    for (const next of all("[data-live]", page)) {
      const old = byId(next.id);
      if (!old || old.contains(pressed) || (written(old) && !(asked && old.contains(asked)))) continue;
      const focused = old.contains(document.activeElement) && document.activeElement.id;
      const details = new Map(all("details[id]", old).map(d => [d.id, d.open]));
      const scrolled = [old, ...all("[data-scroll]", old)].filter(s => s.id).map(s => [s.id, s.scrollLeft, s.scrollTop]);
      old.replaceWith(document.importNode(next, true));
      for (const [id, open] of details) if (byId(id) && !id.endsWith("-sure")) byId(id).open = open;
      for (const [id, left, top] of scrolled) byId(id)?.scrollTo({ left, top, behavior: "instant" });
      if (focused) byId(focused)?.focus({ preventScroll: true });
    }
    all("[data-filter]").forEach(filter);
    tell("put");
  }

  // fetchBlocks asks for the blocks that differ from those on the page, and for one in any case.
  async function fetchBlocks(options, block) {
    const address = new URL(location.href), have = all("[data-live]").filter(b => b.id !== block).map(b => `${b.id}.${b.dataset.live}`);
    address.searchParams.set("part", have.join(" "));
    const answer = await fetch(address, options);
    if (answer.status === 401) location.reload(); // to sign in
    const type = answer.headers.get("Content-Type") || "";
    if (!type.startsWith("text/html")) throw new Error(`the server answered with ${answer.status}`);
    return { url: answer.url, ok: answer.ok, page: new DOMParser().parseFromString(await answer.text(), "text/html") };
  }

  // notify says words so that they are seen too, for a while.
  let notified = 0;
  function notify(words) {
    byId("status").textContent = words;
    byId("status").className = "notice";
    clearTimeout(notified);
    notified = setTimeout(() => { byId("status").className = "unseen"; }, 4000);
  }
  function complain(error) {
    byId("trouble").hidden = !error;
    if (error) byId("trouble").textContent = `There is no answer (${error.message}). This page tries again every few seconds.`;
  }

  // One after the other: blocks that were asked for before a change must not come in after it. However
  // much happens, most of the time is the server's own.
  let turn = Promise.resolve(), waiting = false, took = 0; // the last one, in milliseconds
  const inTurn = work => turn = turn.then(work).then(() => complain(null), complain);
  async function refresh(asked) {
    const address = location.href, begun = performance.now();
    const { page } = await fetchBlocks({}, asked?.closest("[data-live]")?.id);
    if (address === location.href) put(page, asked);
    took = performance.now() - begun;
  }
  function soon() {
    if (waiting || document.hidden) return;
    waiting = true;
    setTimeout(() => inTurn(() => { waiting = false; return refresh(); }), Math.max(250, 4 * took));
  }
  document.addEventListener("stale", soon);

  // A browser has few connections to one host: a hidden tab gives its own up.
  let events = null;
  const states = { live: "live", still: "not live", lost: "connecting again…" };
  function link(state) {
    byId("link").dataset.state = state;
    byId("link").textContent = states[state];
  }
  function listen() {
    if (document.hidden) { events?.close(); events = null; link("still"); return; }
    if (events) return;
    events = new EventSource(document.body.dataset.events);
    events.onopen = () => { link("live"); soon(); };
    events.onerror = () => link("lost");
    for (const name of ["arrived", "ended"]) events.addEventListener(name, soon);
  }
  document.addEventListener("visibilitychange", listen);
  setInterval(soon, 5000); // not every change comes with an event

  // Links and choices

  async function go(address, focus, asked, move = "pushState") {
    if (new URL(address, location.href).href !== location.href) history[move](null, "", address);
    await inTurn(() => refresh(asked));
    if (!focus) return;
    byId(focus)?.focus();
    byId(focus)?.closest("li")?.scrollIntoView({ block: "nearest" });
  }
  document.addEventListener("click", event => {
    const link = event.target.closest("a[data-go]");
    if (!link || event.metaKey || event.ctrlKey || event.shiftKey) return;
    event.preventDefault();
    go(link.href, link.dataset.go, byId(link.dataset.block) || link);
  });
  window.addEventListener("popstate", () => inTurn(() => refresh()));
  document.addEventListener("change", event => {
    const form = event.target.closest("form[data-choose]");
    if (form && event.target.type !== "search") form.requestSubmit();
  });
  let typing = 0;
  document.addEventListener("input", event => {
    const form = event.target.closest("form[data-choose]");
    if (!form || event.target.type !== "search") return;
    clearTimeout(typing);
    typing = setTimeout(() => choose(form, "replaceState"), 250);
  });
  // What else is chosen may have changed since the form came: it is in the address.
  function choose(form, move) {
    const query = new URLSearchParams(location.search), data = new FormData(form);
    for (const { name, type } of form.elements) {
      if (!name || type === "hidden") continue;
      query.delete(name);
      if (data.get(name)) query.set(name, data.get(name));
    }
    return go("?" + query, null, form, move);
  }

  // Calls

  // Who pressed a button that has gone, or is off now, goes on where it was.
  function refocus(button, block) {
    const next = byId(button);
    const place = next && !next.disabled ? next : byId(block)?.querySelector("[tabindex='-1']") || byId(block)?.closest("section").querySelector("[tabindex='-1']");
    place?.focus({ preventScroll: true });
  }
  async function send(form, button, body) {
    const block = form.closest("[data-live]").id, done = `Done: ${byId(button).textContent.trim().replace(/^Yes, /, "")}`;
    const { url, ok, page } = await fetchBlocks({ method: "POST", body }, block);
    if (new URL(url).pathname !== location.pathname) { location.assign(url); return; }
    put(page, byId(form.id));
    if (ok) {
      notify(done);
      tell("done");
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
      inTurn(() => send(form, form.querySelector("button").id, body)).then(() => form.removeAttribute("aria-busy"));
    }
    if (form.matches("form[data-choose]")) {
      event.preventDefault();
      choose(form);
    }
  });

  listen();
})();
