// Keyboard shortcuts: "j" and "k" go to the next and the previous entry of a list, or to the pages of these entries.
// "/" goes to the search field of the page, or of the bookings where a page has
// none, and Escape leaves it. Without this script the pages work the same.
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
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) {
    return;
  }
  const typing = event.target.closest("input, textarea, select, [contenteditable]");
  if (event.key === "Escape" && typing === search) {
    search?.blur();
  }
  if (!typing && (event.key === "j" || event.key === "k")) {
    step(event.key === "j" ? 1 : -1);
  }
  if (event.key !== "/" || typing) {
    return;
  }
  event.preventDefault();
  if (search) {
    search.focus();
    search.select();
    return;
  }
  const elsewhere = document.querySelector("nav a[data-search]");
  if (elsewhere) {
    location.assign(elsewhere.href + "#find");
  }
});
if (search && location.hash === "#find") {
  search.focus();
}
