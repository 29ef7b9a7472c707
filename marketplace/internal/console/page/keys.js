// Keyboard shortcuts: "/" goes to the search field of the page, or of the bookings where a page has
// none, and Escape leaves it. Without this script the pages work the same.
const search = document.querySelector("form[role=search] input[type=search]");
addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) {
    return;
  }
  const typing = event.target.closest("input, textarea, select, [contenteditable]");
  if (event.key === "Escape" && typing === search) {
    search?.blur();
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
