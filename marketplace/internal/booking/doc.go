// Package booking leads bookings from checkout to their end: every move in one table,
// and every call to a partner around it. A move is stored, by compare-and-set, together
// with the job that acts on it; nothing is held while a partner is called.
//
// docs/booking.md shows the table.
package booking
