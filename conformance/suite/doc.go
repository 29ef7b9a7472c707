// Package suite judges a partner. Run and Judge build one tree of Ginkgo specs, a spec
// for each rule of the catalogue, and run it once.
//
// A rule takes one street. Package plan says what of the partner's offer is tested,
// package scenario plays what the rule needs and returns what was sent, what came and
// what was counted, package judge says what that means and returns a finding, and the
// verdicts decide what a broken rule means for the others: one cause is one finding.
// A scenario is played once, when the first rule asks for it.
//
// Races come late, when all is known of calls one after another. After them come
// requests that are unusual, and such as make no sense; then holds that expire, so that
// all else is judged while they are waited for. Random lifecycles, which package explore
// makes up, are played where the user asks for them.
//
// A live partner has other customers. What is off is tried again, on slots that are
// watched for what others do, until package noise says that it is far likelier that a
// rule is broken than that others were at it.
//
// Every hold and booking is entered in a ledger before it is used, and undone
// at the end whatever happened.
package suite
