# What a release consists of. CONTRIBUTING.md, "Release", describes how to make one.
#
# The same commit gives the same bytes. Images also contain the certificates of the machine that
# builds them.

# Go verifies each of them by its checksum database.
NFPM := github.com/goreleaser/nfpm/v2/cmd/nfpm@v2.44.1
CYCLONEDX := github.com/CycloneDX/cyclonedx-gomod/cmd/cyclonedx-gomod@v1.9.0
COSIGN := github.com/sigstore/cosign/v3/cmd/cosign@v3.1.3

# A semantic version without "v".
VERSION ?= 0.0.0-devel
PLATFORMS ?= linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64
COMMIT ?= $(shell git -c safe.directory=$(CURDIR) rev-parse HEAD 2>/dev/null)

LINUX = $(patsubst linux/%,%,$(filter linux/%,$(PLATFORMS)))
NAMES = $(notdir $(COMMANDS))

# Files get this time.
export SOURCE_DATE_EPOCH ?= $(or $(shell git -c safe.directory=$(CURDIR) log -1 --format=%ct 2>/dev/null),0)

.PHONY: release
release: archives packages images go-modules ## release: build a release, as VERSION for PLATFORMS, into build/release
	@rm -rf build/release; mkdir -p build/release
	@cp build/archives/* build/packages/* build/images/*.tar.gz build/release/
	@$(call pack,build,modules,build/release/partnerkit_$(VERSION)_go_modules.tar.gz)
	@cd build/release && LC_ALL=C sha256sum -- * > checksums.txt && ls -l

# The signature names the workflow that runs this. docs/operations.md describes how to verify it.
.PHONY: sign
sign: need-go ## release: sign the checksums in build/release, in the workflow that publishes them
	@GOBIN=$(CURDIR)/build/tools CGO_ENABLED=0 go install $(COSIGN)
	@build/tools/cosign sign-blob --yes --bundle build/release/checksums.txt.sigstore.json build/release/checksums.txt

# The tests install and start what is built for this machine, Linux on amd64. They are a module of
# their own, and need what .ci/run installs.
.PHONY: ship-test
ship-test: ## prove: build, install and start a release, and test the recipes for CI
	@echo "== release"
	@mkdir -p build; $(MAKE) --no-print-directory release site VERSION=0.0.0-test PLATFORMS=linux/amd64 > build/ship.log 2>&1 || { tail -n 40 build/ship.log; exit 1; }
	@echo "== tests of the release"
	@cd packaging && export GOWORK=off && unformatted=$$(gofmt -l .) && [ -z "$$unformatted" ] && go mod tidy -diff && go vet ./... && \
		go run $(STATICCHECK) ./... && go test -v -count=1 -timeout 20m $(TESTFLAGS) .

# pack FOLDER NAME ARCHIVE makes an archive of FOLDER/NAME that depends on its content only.
pack = tar --create --sort=name --owner=0 --group=0 --numeric-owner --mode=u=rwX,go=rX --mtime=@$$SOURCE_DATE_EPOCH \
	--directory $(1) $(2) | gzip --no-name --best > $(3)

.PHONY: binaries
binaries: need-go ## release: build the commands into build/bin
	@rm -rf build/bin
	@for platform in $(PLATFORMS); do \
		echo "== $$platform"; \
		GOOS=$${platform%/*} GOARCH=$${platform#*/} CGO_ENABLED=0 go build -o build/bin/$$platform/ \
			-ldflags "-s -w -X partnerkit.dev/internal/cli.version=v$(VERSION) -X partnerkit.dev/internal/cli.commit=$(COMMIT)" $(COMMANDS) || exit 1; \
	done

.PHONY: man
man: build ## release: write man pages and completions to build/man and build/completions
	@rm -rf build/man build/completions; mkdir -p build/completions
	@for command in $(NAMES); do \
		build/$$command man build/man || exit 1; \
		for shell in bash zsh fish powershell; do build/$$command completion $$shell > build/completions/$$command.$$shell || exit 1; done; \
	done

# Of every module that is in a command, on any system.
.PHONY: licenses
licenses: need-go ## release: collect the licences of all modules into build/licenses
	@rm -rf build/licenses; mkdir -p build/licenses
	@for system in linux darwin windows; do \
		GOOS=$$system CGO_ENABLED=0 go list -deps -f '{{with .Module}}{{if not .Main}}{{.Path}} {{.Version}} {{.Dir}}{{end}}{{end}}' $(COMMANDS) || exit 1; \
	done | sort -u | while read -r module version folder; do \
		texts=$$(find "$$folder" -maxdepth 1 -type f \( -iname 'licen[sc]e*' -o -iname 'copying*' -o -iname 'notice*' \) ! -name '*.go'); \
		[ -n "$$texts" ] || { echo "$$module $$version has no licence"; exit 1; }; \
		mkdir -p "build/licenses/$$module"; cp $$texts "build/licenses/$$module/"; chmod -R u+w "build/licenses/$$module"; \
		echo "$$module $$version"; \
	done

# A CycloneDX document for each command: the modules that are linked into it.
.PHONY: sbom
sbom: binaries ## release: write bills of materials to build/sbom
	@rm -rf build/sbom; GOBIN=$(CURDIR)/build/tools go install $(CYCLONEDX)
	@for platform in $(PLATFORMS); do \
		mkdir -p build/sbom/$$platform; \
		for command in $(NAMES); do \
			build/tools/cyclonedx-gomod bin -json -noserial -version v$(VERSION) -output build/sbom/$$platform/$$command.cdx.json \
				build/bin/$$platform/$$command$$([ $${platform%/*} != windows ] || echo .exe) 2>build/sbom/log || { cat build/sbom/log; exit 1; }; \
			jq '.metadata.timestamp = (env.SOURCE_DATE_EPOCH | tonumber | todate) | del(.metadata.tools[].hashes)' \
				build/sbom/$$platform/$$command.cdx.json > build/sbom/json && mv build/sbom/json build/sbom/$$platform/$$command.cdx.json || exit 1; \
		done; \
	done; rm build/sbom/log

.PHONY: archives
archives: sbom man licenses ## release: build an archive for each platform into build/archives
	@rm -rf build/archives build/archive; mkdir -p build/archives
	@for platform in $(PLATFORMS); do \
		name=partnerkit_$(VERSION)_$${platform%/*}_$${platform#*/}; folder=build/archive/$$name; \
		mkdir -p $$folder; \
		cp -R build/bin/$$platform/. LICENSE NOTICE README.md CHANGELOG.md build/man build/completions build/licenses $$folder/; \
		cp -R build/sbom/$$platform $$folder/sbom; \
		case $$platform in \
		windows/*) \
			find $$folder -exec touch --date=@$$SOURCE_DATE_EPOCH {} +; \
			(cd build/archive && find $$name -type f | LC_ALL=C sort | TZ=UTC zip -X -q -9 ../archives/$$name.zip -@) ;; \
		*) $(call pack,build/archive,$$name,build/archives/$$name.tar.gz) ;; \
		esac || exit 1; \
	done
	@ls -l build/archives

.PHONY: packages
packages: sbom man licenses ## release: build Debian and RPM packages into build/packages
	@rm -rf build/packages; mkdir -p build/packages; GOBIN=$(CURDIR)/build/tools go install $(NFPM)
	@export VERSION=$(VERSION) ARCH; \
	pack() { for kind in deb rpm; do build/tools/nfpm package --config packaging/$$1.yaml --packager $$kind --target build/packages/ || return 1; done; }; \
	for ARCH in $(LINUX); do pack partnerkit || exit 1; done; \
	pack partnerkit-marketplace
	@ls -l build/packages

# What the images contain; the Dockerfile copies it. Images have no system, so they need the
# certificates to call partners by HTTPS, and folders with the right permissions. Time zones are
# in the commands.
.PHONY: image-files
image-files: binaries
	@rm -rf build/image; for machine in $(LINUX); do \
		files=build/image/linux/$$machine/files; \
		mkdir -p $$files/etc/ssl/certs $$files/tmp $$files/data $$files/reports && \
		cp /etc/ssl/certs/ca-certificates.crt $$files/etc/ssl/certs/ && \
		chmod 1777 $$files/tmp && chown 65532:65532 $$files/data $$files/reports && \
		cp build/bin/linux/$$machine/* build/image/linux/$$machine/ || exit 1; \
	done

# buildah needs no daemon. It builds the Dockerfile with the files above in place of the stage that
# compiles them, and so runs no command and pulls no image.
BUILDAH = buildah --root $(CURDIR)/build/buildah/store --runroot $(CURDIR)/build/buildah/run --storage-driver vfs

.PHONY: images
images: image-files ## release: build container images into build/images; needs buildah, and root
	@rm -rf build/images; mkdir -p build/images build/buildah
	@for machine in $(LINUX); do for command in $(NAMES); do \
		image=partnerkit/$$command:$(VERSION); file=build/images/partnerkit-$${command}_$(VERSION)_linux_$$machine.tar; \
		{ $(BUILDAH) build --quiet --isolation chroot --format oci --timestamp $$SOURCE_DATE_EPOCH --arch $$machine \
			--build-context built=build/image/linux/$$machine --target $$command --tag $$image . && \
		$(BUILDAH) push --quiet $$image docker-archive:$$file:$$image && gzip --no-name --best $$file; } >build/buildah/log 2>&1 || \
			{ cat build/buildah/log; exit 1; }; \
	done; done; $(BUILDAH) rmi --all --force >/dev/null; rm -rf build/buildah
	@ls -l build/images

# The modules that the commands consist of.
PUBLISHED = schemas internal mockpartner conformance marketplace octobridge

# A folder in the form of a Go module proxy: what `go install` needs of a version.
.PHONY: go-modules
go-modules: need-go ## release: write the Go modules to build/modules, in the form of a module proxy
	@rm -rf build/modules; cd packaging && GOWORK=off go run ./modules -version v$(VERSION) -time $$SOURCE_DATE_EPOCH -from .. -to ../build/modules $(PUBLISHED)

# Draws the diagrams of the documents. Its package has this SHA-256.
MERMAID := mermaid@9.4.3
MERMAID_SUM := 4b60d0dff83ccefb4ae482b00f30d641389b861a67cdf51ccb8b7eed19cf8b0e

# Where the site's links to source code lead.
export SITE_REPOSITORY ?= https://github.com/OWNER/partnerkit
export SITE_REF ?= $(or $(COMMIT),main)

# Several versions can be built into the same folder; readers choose between them.
.PHONY: site
site: export SITE_DIR = $(CURDIR)/build/site/$(VERSION)
site: ## release: build the documents as a site into build/site; needs mkdocs-material and npm
	@rm -rf build/site-source; mkdir -p build/site-source/assets build/site
	@git -c safe.directory=$(CURDIR) ls-files '*.md' docs/pictures | tar --create --files-from - | tar --extract --directory build/site-source
	@cp packaging/site/assets/* build/site-source/assets/
	@file=build/$$(echo $(MERMAID) | tr @ -).tgz; \
	[ -e $$file ] || npm pack --silent --pack-destination build $(MERMAID) >/dev/null; \
	echo "$(MERMAID_SUM)  $$file" | sha256sum --check --quiet && \
	tar --extract --gzip --to-stdout --file $$file package/dist/mermaid.min.js > build/site-source/assets/mermaid.min.js
	@mkdocs build --quiet --clean --config-file packaging/site/mkdocs.yml
	@find build/site/$(VERSION) -name '*.map' -delete
	@sed -i 's|https://unpkg.com/mermaid[^"]*||; s|"aria-label":\([a-z]*("select.version.title")\)|title:\1|' build/site/$(VERSION)/assets/javascripts/bundle.*.js
	@du -sh build/site/$(VERSION)
