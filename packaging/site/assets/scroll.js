// Tables and diagrams are in elements that scroll. Where the content is wider than the page, the
// keyboard reaches it.
function reach() {
  for (const wrap of document.querySelectorAll(".md-typeset__scrollwrap, .diagram")) {
    if (wrap.scrollWidth > wrap.clientWidth) {
      wrap.tabIndex = 0;
    } else {
      wrap.removeAttribute("tabindex");
    }
  }
}

new ResizeObserver(reach).observe(document.body);
