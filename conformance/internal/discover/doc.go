// Package discover reads a partner's answers leniently and finds what to test
// with. A catalog with one bad price still has products, options and units:
// what is broken is judged by its own rule, and must not hide the rest.
//
// Nothing here sends a request.
package discover
