// Package suite holds the specs that judge a partner. It is Ginkgo underneath:
// Run builds one tree of specs, a spec for each rule of the catalogue, and
// runs it once.
//
// A run goes like this. The survey fetches the catalog and the slots of its
// options, and the rules about fields, ids and windows are judged on what it
// brought. Then stories play lifecycles: a booking, a hold, a slot sold out,
// requests without a key. A story is played once, when the first rule asks for
// it, and each rule judges one fact of it. A story that cannot go on names the
// rule that stopped it, its obstacle: that rule fails, and all others that
// needed the rest of the story are blocked by it. So one cause is one finding.
//
// Races come late, when all is known of calls one after another: calls at the same
// time for the last seats of a slot, for one code, for one booking. Their answers
// are lawful where a partner that does one thing after another, in some order,
// could have given them. After them come requests that are unusual, such as a guest
// with a name of many alphabets, and such as make no sense; then holds that expire,
// so that all else is judged while they are waited for.
//
// A live partner has other customers. What is off is tried again, on slots that are
// watched for what others do, until it is far likelier that a rule is broken than that
// others were at it: see weigh.
//
// Where the user asks for it, random lifecycles are played at the very end, which
// package explore makes up: after each step the answer and the seats are held
// against its model, and a story that breaks is shortened.
//
// Every hold and booking is entered in a ledger before it is used, and undone
// at the end whatever happened.
package suite
