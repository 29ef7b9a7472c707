// What all pages share. Without this script they work too.
"use strict";
(() => {
  const byId = id => document.getElementById(id);
  const all = (selector, from = document) => [...from.querySelectorAll(selector)];

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
  const search = document.querySelector("input[type=search]");
  document.addEventListener("keydown", event => {
    if (event.ctrlKey || event.metaKey || event.altKey || !search) return;
    if (event.key === "Escape" && event.target === search) search.blur();
    if (event.key !== "/" || event.target.closest("input, textarea, select")) return;
    event.preventDefault();
    search.select();
  });
})();
