module partnerkit.dev/conformance

go 1.26

require (
	partnerkit.dev/mockpartner v0.0.0
	partnerkit.dev/schemas v0.0.0
)

replace (
	partnerkit.dev/mockpartner => ../mockpartner
	partnerkit.dev/schemas => ../schemas
)
