module partnerkit.dev/octobridge

go 1.26.0

require (
	github.com/goccy/go-yaml v1.19.2
	partnerkit.dev/internal v0.0.0
	partnerkit.dev/schemas v0.0.0
)

require (
	code.dny.dev/ssrf v0.3.0 // indirect
	github.com/agext/levenshtein v1.2.3 // indirect
	github.com/gabriel-vasile/mimetype v1.4.16 // indirect
	github.com/go-playground/locales v0.14.2 // indirect
	github.com/go-playground/universal-translator v0.18.2 // indirect
	github.com/go-playground/validator/v10 v10.30.6 // indirect
	github.com/leodido/go-urn v1.5.0 // indirect
	github.com/santhosh-tekuri/jsonschema/v5 v5.3.1 // indirect
	golang.org/x/crypto v0.58.0 // indirect
	golang.org/x/sys v0.49.0 // indirect
	golang.org/x/text v0.43.0 // indirect
)

replace partnerkit.dev/schemas => ../schemas

replace partnerkit.dev/internal => ../internal

replace partnerkit.dev/mockpartner => ../mockpartner

replace partnerkit.dev/conformance => ../conformance
