// The page as it changes: the server sends its content as events. Parts that are the same stay, with the
// focus and with what is typed. Without this script the page is true whenever it is loaded.
const main = document.querySelector("main");
const within = (element) => element.closest("main > *")?.getAttribute("aria-labelledby");
const alike = (root, element) => [...root.querySelectorAll(element.localName)].filter((other) => within(other) === within(element));
let events;

const show = (html) => {
  const fresh = new DOMParser().parseFromString(html, "text/html").querySelector("main");
  for (const details of main.querySelectorAll("details")) {
    const same = alike(fresh, details)[alike(main, details).indexOf(details)];
    if (same) {
      same.open = details.open;
    }
  }
  const focused = document.activeElement;
  const place = main.contains(focused) ? alike(main, focused).indexOf(focused) : -1;
  const section = place < 0 ? null : within(focused);
  const old = [...main.children].filter((part) => !part.matches(".note")); // what a button has done stays
  for (const part of [...fresh.children]) {
    const same = old.findIndex((other) => other.isEqualNode(part));
    if (same < 0) {
      old.length ? old[0].before(part) : main.append(part);
      continue;
    }
    old.splice(0, same + 1).slice(0, -1).forEach((gone) => gone.remove());
  }
  old.forEach((gone) => gone.remove());
  if (place >= 0 && !focused.isConnected) {
    const again = [...main.querySelectorAll(focused.localName)].filter((other) => within(other) === section);
    (again.find((other) => other.textContent === focused.textContent) ?? again[place])?.focus({ preventScroll: true });
  }
  if (!fresh.dataset.follow) { // nothing more will happen
    delete main.dataset.follow;
    events.close();
  }
};

const follow = () => {
  events?.close();
  if (document.hidden || !main.dataset.follow) {
    return;
  }
  events = new EventSource(main.dataset.follow);
  events.addEventListener("page", (event) => show(event.data));
  events.addEventListener("error", () => {
    if (events.readyState === EventSource.CLOSED) { // refused, for example because too many pages are open
      setTimeout(follow, 30000);
    }
  });
};
document.addEventListener("visibilitychange", follow);
follow();
