// Package api is the service's HTTP: one file a surface, and one each for what they
// share: the routes (route.go), who may come in and how often (guard.go), how bodies and
// queries are read (body.go, query.go), how answers and errors are written (answer.go,
// problem.go), and what the log and the metrics see of a request (exchange.go).
//
// A handler returns an error, and never writes one itself.
//
// Every route stands in schemas/openapi/marketplace.yaml, its bodies in schema files
// beside it. The tests judge each request and answer by that document, so a route is
// described there first, with every status that it answers.
package api
