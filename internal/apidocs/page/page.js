"use strict";

// Draws the document that the page names. Nothing is asked of anybody but the page's own
// server, and no token outlives the page.
(() => {
  // Swagger UI fills a request with every example: of a list that would leave nothing.
  // The examples of what may be left out are told in words instead.
  const leaveOut = (parameter) => {
    if (parameter.in === "query" && !parameter.required && parameter.example !== undefined) {
      parameter.description = `${parameter.description ?? ""} For example \`${parameter.example}\`.`;
      delete parameter.example;
    }
  };
  const leaveOutOptional = () => ({
    statePlugins: {
      spec: {
        wrapActions: {
          updateJsonSpec: (update) => (document) => {
            const operations = Object.values(document.paths ?? {}).flatMap((path) => Object.values(path));
            [...Object.values(document.components?.parameters ?? {}), ...operations.flatMap((operation) => operation.parameters ?? [])].forEach(leaveOut);
            return update(document);
          },
        },
      },
    },
  });

  const place = document.getElementById("document");
  SwaggerUIBundle({
    url: place.dataset.document,
    domNode: place,
    deepLinking: true,
    displayRequestDuration: true,
    filter: true,
    plugins: [leaveOutOptional],
    persistAuthorization: false,
    showExtensions: true,
    supportedSubmitMethods: place.dataset.try === "true" ? ["get", "put", "post", "delete", "patch"] : [],
    validatorUrl: null,
  });
})();
