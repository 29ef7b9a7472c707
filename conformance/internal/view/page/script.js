"use strict";
const rules = [...document.querySelectorAll(".rule")];
const form = document.querySelector(".filter");
const checked = name => new Set([...form.querySelectorAll(`[name=${name}]:checked`)].map(box => box.value));
const found = new Map(rules.map(rule => [rule, [rule.id,
  rule.ariaLabel ?? rule.querySelector("h3").textContent, rule.querySelector(".words").textContent].join(" ").toLowerCase()]));
const whole = rules.length;
const kinds = ["outcome", "level", "endpoint"];

function filter() {
  const wanted = form.text.value.toLowerCase().split(/\s+/).filter(Boolean);
  const allowed = kinds.map(kind => [kind, checked(kind)]);
  let shown = 0;
  for (const rule of rules) {
    rule.hidden = !(allowed.every(([kind, values]) => values.has(rule.dataset[kind])) &&
      wanted.every(word => found.get(rule).includes(word)));
    shown += !rule.hidden;
  }
  for (const part of document.querySelectorAll(".group, .endpoint, .finding")) {
    part.hidden = !part.querySelector(".rule:not([hidden])");
  }
  for (const group of document.querySelectorAll(".group, .endpoint, .finding")) {
    if (shown < whole) group.open = true;
  }
  document.querySelector(".nothing").hidden = shown > 0 || whole === 0;
  form.querySelector("output").value = `${shown} of ${whole} rules`;
  form.querySelector("button").hidden = shown === whole;
}

// The state of search and filters is in the address, to be passed on and kept
// over a reload: what is searched for, and what is left of a kind where something
// was left out.
function remember() {
  const state = new URLSearchParams();
  if (form.text.value) state.set("text", form.text.value);
  for (const kind of kinds) {
    const values = checked(kind);
    if (values.size < form.querySelectorAll(`[name=${kind}]`).length) state.set(kind, [...values].join());
  }
  const query = String(state);
  history.replaceState(null, "", (query ? "?" + query : location.pathname) + location.hash);
}

function recall() {
  const state = new URLSearchParams(location.search);
  form.text.value = state.get("text") ?? "";
  for (const kind of kinds) {
    const values = state.get(kind)?.split(",");
    for (const box of form.querySelectorAll(`[name=${kind}]`)) box.checked = !values || values.includes(box.value);
  }
}

function showAll() {
  form.reset();
  filter();
  remember();
  for (const group of document.querySelectorAll(".group, .endpoint, .finding")) group.open = group.matches("#findings > .finding:first-of-type");
}

function follow() {
  const target = document.getElementById(location.hash.slice(1));
  if (!target) return;
  if (target.hidden) showAll();
  for (let e = target; e; e = e.parentElement) {
    if (e.localName === "details") e.open = true;
  }
  for (const fold of target.querySelectorAll(".evidence")) fold.open = true;
  target.scrollIntoView();
}

async function copy(button) {
  const text = button.parentElement.querySelector("pre");
  try {
    await navigator.clipboard.writeText(text.textContent);
  } catch {
    // Without a secure context there is no clipboard: the old way wants a selection.
    getSelection().selectAllChildren(text);
    document.execCommand("copy");
  }
  button.textContent = "Copied";
  setTimeout(() => { button.textContent = "Copy"; }, 2000);
}

const sift = document.querySelector(".sift"), roomy = matchMedia("(min-width: 60rem)");
const unfold = () => { sift.open = roomy.matches; };
sift.hidden = whole === 0;
unfold();
roomy.addEventListener("change", unfold);
form.addEventListener("input", () => { filter(); remember(); });
form.addEventListener("submit", event => event.preventDefault());
form.querySelector("button").addEventListener("click", showAll);
addEventListener("hashchange", follow);
document.addEventListener("click", event => {
  if (event.target.matches(".copy")) copy(event.target);
});
for (const button of document.querySelectorAll(".copy")) button.hidden = false;

// On paper nothing can be unfolded: what failed comes with its evidence.
let unfolded = [];
addEventListener("beforeprint", () => {
  unfolded = [...document.querySelectorAll(".finding:not([open]), .finding details:not([open]), .more:not([open])")];
  for (const fold of unfolded) fold.open = true;
});
addEventListener("afterprint", () => {
  for (const fold of unfolded) fold.open = false;
});

recall();
filter();
follow();
