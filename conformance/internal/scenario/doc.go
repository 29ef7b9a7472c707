// Package scenario plays what a marketplace does with a partner: one booking, one
// hold, a second booking, a race, a hold that expires, a slot that is sold out, calls
// that make no sense. Each returns a value: what was sent, what came, and how many
// seats were counted. It judges nothing and knows no rule.
//
// A scenario is played once for each attempt, when the first rule asks for it, and
// every rule judges one fact of it. One that cannot go on returns a Stop, which says
// what stood in the way.
//
// Every hold and booking is entered in a ledger before it is used.
package scenario
