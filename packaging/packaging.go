// Package packaging tests what `make release` and `make site` build, on the machine that builds it:
// archives, packages, images, Go modules, the documents' site, and what others run in CI or in
// Kubernetes. `make ship-test` builds everything and runs the tests.
package packaging
