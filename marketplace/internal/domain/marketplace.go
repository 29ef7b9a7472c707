// Package domain is the service's domain: its types and invariants. It depends on neither SQL
// nor HTTP.
//
// Each noun has its own file. Packages that build on it: catalog (products become activities),
// booking (the life of bookings), partner (calls to partners), storefront (what resellers read),
// postgres (all SQL), api (all HTTP), and worker (background jobs).
package domain
