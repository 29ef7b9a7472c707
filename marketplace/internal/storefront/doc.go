// Package storefront shows resellers and affiliates the catalog: the list, an activity,
// a variation's calendar and day.
//
// The list is kept ready. An index in memory holds the listed activities in their order;
// pages are made once, with their gzip, and stand as long as the index has the same
// entries at their place: one activity that changes unmakes the pages that show it, and
// no other. The database tells what has changed in the order of its commits, to every
// replica, and CatchUp waits for what has been told so far: who calls it after a commit
// knows that every later read here shows it.
package storefront
