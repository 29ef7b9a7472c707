module partnerkit.dev/examples

go 1.26

require (
	partnerkit.dev/conformance v0.0.0
	partnerkit.dev/mockpartner v0.0.0
	partnerkit.dev/schemas v0.0.0
)

replace (
	partnerkit.dev/conformance => ../conformance
	partnerkit.dev/mockpartner => ../mockpartner
	partnerkit.dev/schemas => ../schemas
)
