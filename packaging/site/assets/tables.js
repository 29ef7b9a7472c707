// The theme puts each table into an element that scrolls. Where the table is wider than the page, the
// keyboard reaches it.
function reach() {
  for (const wrap of document.querySelectorAll(".md-typeset__scrollwrap")) {
    if (wrap.scrollWidth > wrap.clientWidth) {
      wrap.tabIndex = 0;
    } else {
      wrap.removeAttribute("tabindex");
    }
  }
}

new ResizeObserver(reach).observe(document.body);
