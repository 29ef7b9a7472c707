module partnerkit.dev/mockpartner

go 1.26.0

require partnerkit.dev/schemas v0.0.0

require (
	github.com/goccy/go-yaml v1.19.2 // indirect
	github.com/gorilla/mux v1.8.1 // indirect
	github.com/inconshreveable/mousetrap v1.1.0 // indirect
	github.com/spf13/cobra v1.10.2 // indirect
	github.com/spf13/pflag v1.0.9 // indirect
	pgregory.net/rapid v1.3.0 // indirect
)

replace partnerkit.dev/schemas => ../schemas
