package judge

import (
	"time"

	"partnerkit.dev/mockpartner/internal/catalog"
	"partnerkit.dev/mockpartner/internal/journal"
)

// Rule is one duty of the caller.
type Rule struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Clause string `json:"clause"` // of docs/contract.md
	Why    string `json:"why"`    // what goes wrong where it is broken
}

// check is a rule with what judges it.
type check struct {
	Rule
	without string // why it is not judged where the record has nothing of the kind
	run     func(*story, *bench)
}

// Case is what a verdict is based on. Its testimony may excuse what looks like a breach.
type Case struct {
	journal.Record
	Catalog *catalog.Index
	// Form is the Authorization header that callers are to send, without the
	// key, such as "Bearer <key>".
	Form string
	Now  time.Time // by the sandbox's clock
	Real time.Time // in real time
}

// Outcome says how a caller stands.
type Outcome string

// The outcomes. A rule is Kept, Broken or NotJudged, a whole verdict Kept,
// Broken or NothingToJudge.
const (
	Kept           Outcome = "kept"
	Broken         Outcome = "broken"
	NotJudged      Outcome = "not judged"
	NothingToJudge Outcome = "nothing to judge"
)

// Verdict is how a caller stands by all rules. It is Kept when no rule is broken
// and one at least could be judged.
type Verdict struct {
	Verdict   Outcome   `json:"verdict"`
	Now       time.Time `json:"now"`       // by the sandbox's clock
	Exchanges int       `json:"exchanges"` // how many were looked at
	UnderWay  int       `json:"underWay"`  // of those, the ones without their whole answer yet
	Cleared   uint64    `json:"cleared"`   // how many the journal was emptied of
	Dropped   uint64    `json:"dropped"`   // how many it had to make room for others
	// Notes say what keeps the verdict from being about everything.
	Notes []string    `json:"notes"`
	Rules []Judgement `json:"rules"` // all rules, in the order of Rules
}

// Judgement is how a caller stands by one rule.
type Judgement struct {
	Rule
	Verdict Outcome `json:"verdict"`
	// Reason says why a rule is not judged.
	Reason   string     `json:"reason,omitempty"`
	Judged   int        `json:"judged"`             // on how many calls or holds it was judged
	Unjudged []Unjudged `json:"unjudged,omitempty"` // on which it could not be
	Findings []Finding  `json:"findings,omitempty"`
	More     int        `json:"more,omitempty"` // how many findings are not shown
}

// Unjudged are calls or holds on which a rule could not be judged.
type Unjudged struct {
	Count  int    `json:"count"`
	Reason string `json:"reason"`
}

// Finding is one breach, with the exchanges that show it.
type Finding struct {
	Message   string             `json:"message"`
	Exchanges []journal.Exchange `json:"exchanges"` // shortened: see Quote
	More      int                `json:"more,omitempty"`
}
