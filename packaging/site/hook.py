"""Reads the documents as GitHub does, and writes what all versions of the site share."""

import json
import os
import posixpath
import re
from pathlib import Path

LINK = re.compile(r"(\]\()([^)\s#:]+)((?:#[^)\s]*)?\))")
DIAGRAM = re.compile(r'<pre class="mermaid">.*?</pre>', re.DOTALL)
FENCE = re.compile(r"^ *```.*?^ *```$", re.MULTILINE | re.DOTALL)


def on_page_markdown(markdown, page, config, files):
    """Link to the repository what is not a page: source code, settings, folders."""
    pages = {file.src_uri for file in files}
    folder = posixpath.dirname(page.file.src_uri)

    def link(match):
        target = posixpath.normpath(posixpath.join(folder, match[2]))
        if target in pages:
            return match[0]
        if target + "/README.md" in pages:
            return match[1] + posixpath.join(match[2], "README.md") + match[3]
        return f"{match[1]}{os.environ['SITE_REPOSITORY']}/tree/{os.environ['SITE_REF']}/{target}{match[3]}"

    # Code is left alone.
    parts, end = [], 0
    for fence in FENCE.finditer(markdown):
        parts += [LINK.sub(link, markdown[end : fence.start()]), fence[0]]
        end = fence.end()
    return "".join(parts) + LINK.sub(link, markdown[end:])


def on_page_context(context, page, config, nav):
    """Tell the template which pages have a diagram."""
    page.meta["diagram"] = 'class="mermaid"' in (page.content or "")


def on_post_page(output, page, config):
    """Add what the theme lacks for phones, keyboards and screen readers: diagrams that scroll, names, and focus on what scrolls."""
    output = output.replace('role="dialog"', 'role="dialog" aria-label="Search"')
    output = output.replace('class="md-search__scrollwrap"', 'class="md-search__scrollwrap" tabindex="0"')
    output = DIAGRAM.sub(r'<div class="diagram" role="region" aria-label="Diagram">\g<0></div>', output)
    return output.replace("<pre><span></span><code>", '<pre tabindex="0"><span></span><code>')


def on_post_build(config):
    """Write the list of versions, and a page that leads to the newest one."""
    root = Path(config["site_dir"]).parent

    def order(name):
        release, _, before = name.partition("-")
        return [int(part) for part in release.split(".")], before == "", before

    names = sorted((path.parent.name for path in root.glob("*.*.*/index.html")), key=order, reverse=True)
    (root / "versions.json").write_text(json.dumps([{"version": name, "title": name, "aliases": []} for name in names]))
    start = Path(__file__).with_name("start.html").read_text().replace("VERSION", names[0])
    for name in ("index.html", "404.html"):
        (root / name).write_text(start)
