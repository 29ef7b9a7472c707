// Package conformance tests partners, and judges calls to them, with the conformance command. The
// marketplace imports nothing of it: the command runs in processes of its own, with a low priority and
// limited memory. They receive a partner's key, an address and limits, but not the service's secret
// or its database.
//
// A Service accepts requests for runs, one at a time for an integration, and a job makes a Runner
// execute each. While the command runs, the Runner holds a lease of the run and stores the
// command's output: its progress, and its ledger of holds and bookings. If the replica crashes, the
// lease expires, and another replica cleans up by the ledger. A full run without a breach earns a
// Certificate. A Revocation names those that ended early.
//
// A Judge judges the calls to partners as they happen. Calls are never delayed: what the judge has no
// room for, or no time, is not judged, and counted. A partner whose calls stopped the judge is left out for
// a while, so that the others' calls are judged. Each replica judges the calls that it sends, so a
// history is partial.
package conformance
