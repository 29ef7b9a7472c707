"use strict";
const rules = [...document.querySelectorAll(".rule")];
const form = document.querySelector(".filter");
const checked = name => new Set([...form.querySelectorAll(`[name=${name}]:checked`)].map(box => box.value));
const found = new Map(rules.map(rule => [rule, [rule.id,
  rule.querySelector("h3").textContent, rule.querySelector(".words").textContent].join(" ").toLowerCase()]));
const whole = rules.length;

function filter() {
  const wanted = form.text.value.toLowerCase().split(/\s+/).filter(Boolean);
  const outcomes = checked("outcome"), levels = checked("level");
  let shown = 0;
  for (const rule of rules) {
    rule.hidden = !(outcomes.has(rule.dataset.outcome) && levels.has(rule.dataset.level) &&
      wanted.every(word => found.get(rule).includes(word)));
    shown += !rule.hidden;
  }
  for (const part of document.querySelectorAll(".group, .endpoint")) {
    part.hidden = !part.querySelector(".rule:not([hidden])");
  }
  for (const group of document.querySelectorAll(".group")) {
    if (shown < whole) group.open = true;
  }
  document.querySelector(".nothing").hidden = shown > 0 || whole === 0;
  form.querySelector("output").value = `${shown} of ${whole} rules`;
  form.querySelector("button").hidden = shown === whole;
}

function showAll() {
  form.reset();
  filter();
  for (const group of document.querySelectorAll(".group")) group.open = false;
}

function follow() {
  const target = document.getElementById(location.hash.slice(1));
  if (!target?.matches(".rule, .endpoint")) return;
  if (target.hidden) showAll();
  for (let e = target; e; e = e.parentElement) {
    if (e.localName === "details") e.open = true;
  }
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
form.addEventListener("input", filter);
form.addEventListener("submit", event => event.preventDefault());
form.querySelector("button").addEventListener("click", showAll);
addEventListener("hashchange", follow);
document.addEventListener("click", event => {
  if (event.target.matches(".copy")) copy(event.target);
});
for (const button of document.querySelectorAll(".copy")) button.hidden = false;
filter();
follow();
