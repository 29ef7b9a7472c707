// Package api is the service's HTTP: one file a surface, and one each for what all of
// them share: who may come in (guard.go), how much (limit.go), how bodies are read
// (body.go), how answers and errors are written (answer.go, problem.go).
//
// A handler returns an error, and never writes one itself.
//
// Every route stands in schemas/openapi/marketplace.yaml, its bodies in schema files
// beside it. The tests' bench judges each request and answer by that document, so a
// route is described there first, with every status that it answers.
package api
