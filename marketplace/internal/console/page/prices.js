// Refreshes what the customer pays while percentages are typed. Without this script a button does.
const form = document.getElementById("edit");
const prices = document.getElementById("prices");
const names = ["admin_price_percentage", "admin_discount_percentage"];
let last = 0;
let timer;
const refresh = async () => {
  const own = ++last;
  const query = new URLSearchParams({ part: "prices" });
  for (const name of names) {
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
