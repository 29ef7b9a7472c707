// What the mock's console adds: announcements, commands that follow what is entered, and countdowns.
"use strict";
(() => {
  const byId = id => document.getElementById(id);
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];
  if (!byId("face")) return;

  // New exchanges are announced from time to time, for screen readers, and not right after what a button has done.
  const last = () => Number(byId("exchanges-shown").dataset.last);
  let shown = last(), announced = -Infinity;
  document.addEventListener("done", () => { announced = performance.now(); });
  document.addEventListener("put", () => {
    all("form.call").filter(form => all("input, textarea, select", form).some(i => i.value !== i.defaultValue)).forEach(follow);
    if (last() < shown) shown = last();
    if (last() === shown || performance.now() - announced < 5000) return;
    const newest = byId(`x-${last()}`)?.querySelector(".what")?.textContent.trim() || "";
    byId("status").textContent = last() - shown === 1 ? `New exchange: ${newest}` : `${last() - shown} new exchanges, the last: ${newest}`;
    shown = last();
    announced = performance.now();
  });

  document.addEventListener("click", event => {
    const into = event.target.closest("[data-into]");
    if (!into) return;
    const box = byId(into.dataset.into);
    box.value = byId(into.dataset.from).elements["raw:fault"].value;
    box.dispatchEvent(new Event("input", { bubbles: true }));
    box.focus();
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
    const form = event.target.closest("form.call");
    if (form) follow(form);
  });
  function follow(form) {
    const line = byId(`${form.id}-curl`);
    if (!line) return; // the commands are not shown
    line.dataset.head ??= line.textContent.split(/ -X | --data-binary | 'http/)[0];
    line.dataset.address ??= line.textContent.slice(line.textContent.lastIndexOf(" 'http"));
    const body = bodyOf(form), method = form.elements.call.value.split(" ")[1];
    line.textContent = line.dataset.head + (body === "" || method !== "POST" ? ` -X ${method}` : "") +
      (body === "" ? "" : ` --data-binary ${quoted(body)}`) + line.dataset.address;
  }

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
    const time = now(), hour = byId("face").querySelector(".hour"), face = new Date(time).toISOString().slice(11, 19);
    if (hour.textContent !== face) hour.textContent = face;
    for (const left of all("[data-expires]")) {
      const missing = Number(left.dataset.expires) - time, text = words(missing);
      if (left.textContent !== text) left.textContent = text;
      left.classList.toggle("near", missing < 60000);
      if (missing <= 0) document.dispatchEvent(new Event("stale"));
    }
  }
  setInterval(tick, 500);
  tick();
})();
