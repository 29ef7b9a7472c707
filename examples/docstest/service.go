package docstest

// A service is a program that a document needs, and does not start itself.
type service struct {
	command string // runs until it is ended
	address string // where it listens
}

// services are those that a document may need.
var services = map[string]service{
	"mock": {"exec mockpartner serve --addr 127.0.0.1:8081 --auth-key secret --seed 7", "127.0.0.1:8081"},
	"marketplace": {`export MARKETPLACE_OPERATOR_EMAIL=ana@example.com MARKETPLACE_OPERATOR_PASSWORD='correct horse battery'
exec marketplace serve --addr 127.0.0.1:8080 --allow-private-partners`, "127.0.0.1:8080"},
}
