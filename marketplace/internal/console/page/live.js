// A run of the suite as it goes on: each rule that is judged comes as an event. Without this
// script the page says the same whenever it is loaded again.
const progress = document.getElementById("progress");
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
