# An image for each of the three commands: static, without a shell, run as an unprivileged user.
#
#   docker build --target marketplace --tag partnerkit/marketplace .
#   docker build --target mockpartner --tag partnerkit/mockpartner .
#   docker build --target conformance --tag partnerkit/conformance .
#
# VERSION and COMMIT are what the commands print as their version.

FROM golang:1.26.8@sha256:6c2a5538f964f1c82f97ad14988bf05de100d922d159d0e398b54c7b0ca0c6c9 AS build
WORKDIR /src
# The modules first: they change less often than the code.
COPY go.work go.work.sum ./
COPY schemas/go.mod schemas/go.sum schemas/
COPY internal/go.mod internal/go.sum internal/
COPY mockpartner/go.mod mockpartner/go.sum mockpartner/
COPY conformance/go.mod conformance/go.sum conformance/
COPY marketplace/go.mod marketplace/go.sum marketplace/
COPY examples/go.mod examples/go.sum examples/
RUN go mod download
COPY schemas schemas
COPY internal internal
COPY mockpartner mockpartner
COPY conformance conformance
COPY marketplace marketplace
ARG VERSION=devel
ARG COMMIT=
RUN CGO_ENABLED=0 go build -trimpath -buildvcs=false \
    -ldflags "-s -w -X partnerkit.dev/internal/cli.version=${VERSION} -X partnerkit.dev/internal/cli.commit=${COMMIT}" \
    -o /out/ ./marketplace/cmd/marketplace ./mockpartner/cmd/mockpartner ./conformance/cmd/conformance
# What images without a system also need: certificates, to call partners by HTTPS, and
# folders with the right permissions. Time zones are in the commands.
RUN mkdir -p /out/files/etc/ssl/certs /out/files/tmp /out/files/data /out/files/reports \
    && cp /etc/ssl/certs/ca-certificates.crt /out/files/etc/ssl/certs/ \
    && chmod 1777 /out/files/tmp && chown 65532:65532 /out/files/data /out/files/reports

FROM scratch AS base
COPY --from=build /out/files /
COPY LICENSE NOTICE /licenses/
USER 65532:65532

# Requires MARKETPLACE_DATABASE_URL and MARKETPLACE_SECRET_KEY: there is no PostgreSQL in it.
FROM base AS marketplace
COPY --from=build /out/marketplace /out/conformance /
ENV MARKETPLACE_ADDR=0.0.0.0:8080 MARKETPLACE_DATA_DIR=/data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=6s --start-period=60s CMD ["/marketplace", "health"]
ENTRYPOINT ["/marketplace"]
CMD ["serve"]

# Requires MOCKPARTNER_AUTH_KEY, and MOCKPARTNER_CONTROL_TOKEN to protect the control API.
FROM base AS mockpartner
COPY --from=build /out/mockpartner /mockpartner
EXPOSE 8081
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=6s --start-period=10s CMD ["/mockpartner", "health"]
ENTRYPOINT ["/mockpartner"]
CMD ["serve", "--addr", "0.0.0.0:8081"]

# Runs once and exits: docker run --volume "$PWD/reports:/reports" partnerkit/conformance run --base-url …
FROM base AS conformance
COPY --from=build /out/conformance /conformance
WORKDIR /reports
ENTRYPOINT ["/conformance"]
CMD ["--help"]
