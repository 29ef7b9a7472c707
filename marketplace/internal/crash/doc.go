// Package crash proves that bookings outlive everything that can die under them. Its
// tests run three replicas of the real command on one PostgreSQL, against the mock
// partner with faults, kill replicas and restart the database, and then hold to account
// what the marketplace, the partner and the customers say of each booking.
//
// `make test` runs a short form, `make crash` the whole of it.
package crash
