"use strict";

// Shows the document that the page names. Scalar makes no request to any server but the page's own,
// and no token outlives the page.
(() => {
  const place = document.getElementById("document");
  const server = place.dataset.server;

  // Scalar gives these elements no name, a name without their text, or no way to reach them by
  // keyboard.
  const complete = () => {
    for (const button of place.querySelectorAll('button[class*="copy-button"]:not([aria-label])')) {
      button.setAttribute("aria-label", "Copy");
    }
    for (const button of place.querySelectorAll("button.show-more[aria-label]")) {
      const [text, label] = [button.textContent.trim(), button.getAttribute("aria-label")];
      if (!label.startsWith(text)) button.setAttribute("aria-label", `${text}: ${label}`);
    }
    for (const list of place.querySelectorAll(".endpoints:not([tabindex]), .markdown table:not([tabindex])")) {
      list.tabIndex = 0;
    }
  };
  new MutationObserver(complete).observe(place, { childList: true, subtree: true });

  Scalar.createApiReference(place, {
    url: place.dataset.document,
    hideTestRequestButton: !server,
    ...(server && { servers: [{ url: new URL(server, location.href).href.replace(/[/]$/, "") }] }), // the document's own may be relative to itself
    defaultOpenAllTags: "open" in place.dataset,
    persistAuth: false,
    operationTitleSource: "summary",
    documentDownloadType: "none", // the page links to the document

    // Samples for shell, Go, JavaScript, which is TypeScript too, and Python.
    hiddenClients: {
      ...Object.fromEntries(["c", "clojure", "csharp", "dart", "fsharp", "http", "java", "julia", "kotlin", "node", "objc", "ocaml", "php", "powershell", "r", "ruby", "rust", "swift"].map((language) => [language, true])),
      js: ["axios", "jquery", "ofetch", "xhr"],
      python: ["aiohttp", "python3"],
    },
    defaultHttpClient: { targetKey: "shell", clientKey: "curl" },

    // These would call servers of Scalar.
    agent: { disabled: true },
    hideClientButton: true,
    mcp: { disabled: true },
    showDeveloperTools: "never",
    telemetry: false,
    withDefaultFonts: false,
  });
})();
