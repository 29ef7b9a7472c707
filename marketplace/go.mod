module partnerkit.dev/marketplace

go 1.26

require partnerkit.dev/schemas v0.0.0

replace partnerkit.dev/schemas => ../schemas
