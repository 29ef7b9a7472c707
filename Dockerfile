# An image for each of the four commands: static, without a shell, run as an unprivileged user.
#
#   docker build --target marketplace --tag partnerkit/marketplace .
#   docker build --target mockpartner --tag partnerkit/mockpartner .
#   docker build --target conformance --tag partnerkit/conformance .
#   docker build --target octobridge --tag partnerkit/octobridge .
#
# VERSION and COMMIT are what the commands print as their version. `make images` builds the same
# images without Docker, from commands that are built already.

FROM --platform=$BUILDPLATFORM golang:1.26.8@sha256:6c2a5538f964f1c82f97ad14988bf05de100d922d159d0e398b54c7b0ca0c6c9 AS compile
WORKDIR /src
# The modules first: they change less often than the code.
COPY go.work go.work.sum ./
COPY schemas/go.mod schemas/go.sum schemas/
COPY internal/go.mod internal/go.sum internal/
COPY mockpartner/go.mod mockpartner/go.sum mockpartner/
COPY conformance/go.mod conformance/go.sum conformance/
COPY marketplace/go.mod marketplace/go.sum marketplace/
COPY octobridge/go.mod octobridge/go.sum octobridge/
COPY examples/go.mod examples/go.sum examples/
RUN go mod download
COPY Makefile .
COPY packaging/release.mk packaging/
COPY schemas schemas
COPY internal internal
COPY mockpartner mockpartner
COPY conformance conformance
COPY marketplace marketplace
COPY octobridge octobridge
ARG VERSION=0.0.0-devel
ARG COMMIT=
ARG TARGETARCH
RUN make image-files PLATFORMS=linux/$TARGETARCH VERSION=$VERSION COMMIT=$COMMIT

FROM scratch AS built
ARG TARGETARCH
COPY --from=compile /src/build/image/linux/$TARGETARCH /

FROM scratch AS base
COPY --from=built /files /
COPY LICENSE NOTICE /licenses/
USER 65532:65532

# Requires MARKETPLACE_DATABASE_URL and MARKETPLACE_SECRET_KEY: there is no PostgreSQL in it.
FROM base AS marketplace
COPY --from=built /marketplace /conformance /
ENV MARKETPLACE_ADDR=0.0.0.0:8080 MARKETPLACE_DATA_DIR=/data
EXPOSE 8080
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=6s --start-period=60s CMD ["/marketplace", "health"]
ENTRYPOINT ["/marketplace"]
CMD ["serve"]

# Requires MOCKPARTNER_AUTH_KEY, and MOCKPARTNER_CONTROL_TOKEN to protect the control API.
FROM base AS mockpartner
COPY --from=built /mockpartner /
EXPOSE 8081
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=6s --start-period=10s CMD ["/mockpartner", "health"]
ENTRYPOINT ["/mockpartner"]
CMD ["serve", "--addr", "0.0.0.0:8081"]

# Requires OCTOBRIDGE_OCTO_URL, OCTOBRIDGE_OCTO_KEY and OCTOBRIDGE_AUTH_KEY. Its store is in /data, which
# needs a volume, or in PostgreSQL with OCTOBRIDGE_STORE.
FROM base AS octobridge
COPY --from=built /octobridge /
ENV OCTOBRIDGE_ADDR=0.0.0.0:8085 OCTOBRIDGE_STORE=/data/octobridge.db
EXPOSE 8085
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=10s --timeout=6s --start-period=10s CMD ["/octobridge", "health"]
ENTRYPOINT ["/octobridge"]
CMD ["serve"]

# Runs once and exits: docker run --volume "$PWD/reports:/reports" partnerkit/conformance run --base-url …
FROM base AS conformance
COPY --from=built /conformance /
WORKDIR /reports
ENTRYPOINT ["/conformance"]
CMD ["--help"]
