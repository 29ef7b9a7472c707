// Package catalog makes a partner's products into activities, and its slots into ours.
//
// A sync pulls the catalog (sync.go), reads it product by product and sets aside what
// is not as the contract has it (read.go), and finds what differs from what is stored
// (diff.go, pure). What differs, and nothing else, is written in one transaction with
// the hash of the body that it stands for.
package catalog
