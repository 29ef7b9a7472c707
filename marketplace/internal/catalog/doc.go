// Package catalog makes a partner's products into activities, and its slots into ours.
//
// A sync pulls the catalog (sync.go), reads it product by product and sets aside what
// is not as the contract has it (read.go), and finds what differs from what is stored
// (diff.go, pure). What differs, and nothing else, is written in one transaction with
// the hash of the body that it stands for.
//
// Slots come in two ways: an option's answer for 60 days (slots.go, slots_read.go), and a
// partner's news of one (notify.go). Both are read by the same rules (slot_fields.go),
// and whatever was said last stands.
package catalog
