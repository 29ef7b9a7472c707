// Package report holds the result of a run. JSON writes a Result and Read reads it. Compare
// compares two of them, and Seal and Verify show whether one was changed. Package view makes the
// other files of a run (report.html, junit.xml, …) from the same Result, so that no two files
// disagree.
package report

import (
	"time"

	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas/partnerapi"
)

// Verdict is the judgement of a run about a partner.
type Verdict string

// The verdicts.
const (
	Conformant    Verdict = "conformant"    // no MUST rule failed
	Nonconformant Verdict = "nonconformant" // at least one MUST rule failed
	Partial       Verdict = "partial"       // no MUST rule failed in a run that the user narrowed; see Result.NarrowedBy
	Incomplete    Verdict = "incomplete"    // the partner could not be judged
)

// Outcome is the outcome of one rule.
type Outcome string

// The outcomes.
const (
	Passed        Outcome = "passed"
	Failed        Outcome = "failed"         // a MUST rule is broken
	Warned        Outcome = "warned"         // a SHOULD rule is broken, or a MUST rule once where twice is a breach
	Known         Outcome = "known"          // broken, but in the baseline; RuleResult.Known has the reason
	Skipped       Outcome = "skipped"        // the user left it out
	NotApplicable Outcome = "not_applicable" // the partner lacks an optional feature
	Blocked       Outcome = "blocked"        // another rule's failure is the cause; Message names it
	Inconclusive  Outcome = "inconclusive"   // nothing to test it with; Message names what is missing
)

// Outcomes lists every outcome, the most urgent first.
func Outcomes() []Outcome {
	return []Outcome{Failed, Warned, Known, Inconclusive, Blocked, Skipped, NotApplicable, Passed}
}

// Result is everything that a run found.
type Result struct {
	Verdict         Verdict         `json:"verdict"`
	Reason          string          `json:"reason,omitempty"`      // why the verdict is incomplete or partial
	NarrowedBy      []string        `json:"narrowed_by,omitempty"` // the flags by which the user narrowed the run
	Target          Target          `json:"target"`
	SuiteVersion    string          `json:"suite_version"`
	ContractVersion string          `json:"contract_version"`   // schemas.ContractVersion of the suite that judged
	Recorded        bool            `json:"recorded,omitempty"` // it judged a recording and made no calls
	Unread          []string        `json:"unread,omitempty"`   // what of the recording was left out or is unknown, and how often
	StartedAt       time.Time       `json:"started_at"`
	DurationMS      int64           `json:"duration_ms"`
	LimitScale      float64         `json:"limit_scale,omitempty"` // if not 0, the contract's limits were multiplied by it
	Summary         map[Outcome]int `json:"summary"`               // every outcome, including those with 0
	Rules           []RuleResult    `json:"rules"`                 // in the catalogue's order
	Causes          []Cause         `json:"causes"`                // in the order in which they are best fixed
	Coverage        Coverage        `json:"coverage"`
	Latency         []Latency       `json:"latency"`                 // one element for each endpoint that was called
	Vacancies       []SlotVacancies `json:"vacancies"`               // of the slots whose seats were counted more than once
	CallerFaults    []CallerFault   `json:"caller_faults,omitempty"` // of recorded traffic: the faults of its caller
	NotUndone       []Leftover      `json:"not_undone"`              // holds and bookings that the run could not undo
	Slots           []SlotSeats     `json:"slots"`                   // the slots that the run held or tried to hold, before the first hold and after everything was undone
	Baseline        *Baseline       `json:"baseline,omitempty"`
	Ledger          string          `json:"ledger,omitempty"`      // the file that records every hold and booking of the run
	Exploration     *Exploration    `json:"exploration,omitempty"` // nil: no random lifecycles were requested

	Integrity *Integrity `json:"integrity,omitempty"` // nil: not sealed

	// Calls lists all exchanges of the run, for run.har. report.json contains only those that are
	// evidence.
	Calls []*Exchange `json:"-"`

	Pictures map[string][]byte `json:"-"` // HTML by file name; rules name their pictures
}

// Target is the partner that was judged.
type Target struct {
	BaseURL               string              `json:"base_url"`
	AuthType              partnerapi.AuthType `json:"auth_type"`
	HandlesTicketDelivery bool                `json:"handles_ticket_delivery"`
}

// RuleResult is one rule and its outcome.
type RuleResult struct {
	ID         string              `json:"id"`
	Title      string              `json:"title"`
	Endpoint   partnerapi.Endpoint `json:"endpoint"`
	Level      rule.Level          `json:"level"`
	Clause     string              `json:"clause"`
	Outcome    Outcome             `json:"outcome"`
	Message    string              `json:"message"`
	BlockedBy  string              `json:"blocked_by,omitempty"` // id of the broken rule that keeps this one from being judged
	Remedy     string              `json:"remedy,omitempty"`     // what would let the rule be judged: a flag, or a change at the partner
	Known      string              `json:"known,omitempty"`      // why the breach is known, and until when, as the baseline states it
	Problems   []string            `json:"problems,omitempty"`   // every offending place, if there are several; capped
	Why        string              `json:"why"`
	Fix        string              `json:"fix"`
	Options    []OptionResult      `json:"options,omitempty"` // of a broken rule that was judged on several options: each of them; otherwise all options that it was judged on have its outcome
	DurationMS int64               `json:"duration_ms"`
	Picture    string              `json:"picture,omitempty"` // the file, next to the report, that draws how the rule was broken
	Exchanges  []Exchange          `json:"exchanges"`         // the evidence; empty if the rule passed
	Races      []Race              `json:"races,omitempty"`   // of a rule about concurrent calls: what was raced
}

// OptionResult is the outcome of a rule for one option.
type OptionResult struct {
	ProductID string  `json:"product"`
	OptionID  string  `json:"option"`
	Outcome   Outcome `json:"outcome"`           // passed, or the outcome of the rule
	Message   string  `json:"message,omitempty"` // what is wrong
}

// BrokenOptions returns the options on which the rule is broken.
func (r RuleResult) BrokenOptions() (broken []OptionResult) {
	for _, one := range r.Options {
		if one.Outcome != Passed {
			broken = append(broken, one)
		}
	}
	return broken
}

// Race is how often concurrent calls were made without a breach, and how much that proves.
type Race struct {
	Of    string `json:"of"`    // what was raced, such as "two confirms of a hold"
	Tries int    `json:"tries"` // rounds without a breach
	Words string `json:"words"` // the probability that a breach was missed
}

// Cause is something to be fixed: a rule that is broken or keeps others from being judged, or several
// that demand the same of several endpoints.
type Cause struct {
	Rules   []string `json:"rules"`   // their ids, in the catalogue's order
	Waiting int      `json:"waiting"` // rules that cannot be judged until it is fixed
}

// Coverage counts what the run read and reserved, and how much there is.
type Coverage struct {
	Products          int `json:"products"` // in the catalog, all judged
	ProductsReserved  int `json:"products_reserved"`
	Options           int `json:"options"`
	OptionsAsked      int `json:"options_asked"` // those whose slots were fetched
	OptionsReserved   int `json:"options_reserved"`
	Units             int `json:"units"` // the guest types of all options
	UnitsReserved     int `json:"units_reserved"`
	Slots             int `json:"slots"` // slots fetched, all judged
	SlotsReserved     int `json:"slots_reserved"`
	Holds             int `json:"holds"`
	Bookings          int `json:"bookings"`
	Calls             int `json:"calls"`
	CallsNotJudged    int `json:"calls_not_judged,omitempty"`    // of a proxy: calls that passed while its judge was behind, or that were too large or too long
	CasesLeftOut      int `json:"cases_left_out,omitempty"`      // cases of the plan without time to judge them
	CasesBrief        int `json:"cases_brief,omitempty"`         // cases of the plan with time for only the calls that show most
	CasesWithoutHolds int `json:"cases_without_holds,omitempty"` // cases of the plan that would have taken the holds or bookings of other rules

	// Rules shows what each rule was measured to be judged on, by rule id and by dimension, such as
	// product. A rule without an entry was not measured.
	Rules map[string]map[string]Covered `json:"rules,omitempty"`
}

// Covered is how many values of a dimension were exercised, and how many there are.
type Covered struct {
	Exercised int `json:"exercised"`
	Of        int `json:"of"`
}

// Latency contains the answer times of one endpoint, in milliseconds, with its limits (LIM-1). A
// call that was not answered counts with the time that the client waited.
type Latency struct {
	Endpoint        partnerapi.Endpoint `json:"endpoint"`
	Calls           int                 `json:"calls"`
	MedianMS        float64             `json:"median_ms"`
	P95MS           float64             `json:"p95_ms"`
	WorstMS         float64             `json:"worst_ms"`
	TimesMS         []float64           `json:"times_ms"` // ascending; at most MostTimes, evenly chosen, including the first and the last
	HealthyLimitMS  float64             `json:"healthy_limit_ms"`
	DegradedLimitMS float64             `json:"degraded_limit_ms"`
	OverHealthy     int                 `json:"over_healthy"`  // calls that the marketplace would have abandoned while the partner is HEALTHY
	OverDegraded    int                 `json:"over_degraded"` // those that it would also have abandoned while DEGRADED
}

// MostTimes is the maximum number of answer times that are kept for an endpoint.
const MostTimes = 200

// SlotVacancies is how many seats one slot had left over the run.
type SlotVacancies struct {
	ProductID      string         `json:"product_id"`
	OptionID       string         `json:"option_id"`
	AvailabilityID string         `json:"availability_id"`
	Start          string         `json:"start"`
	Readings       []SeatsReading `json:"readings"` // in order of time, at least two
}

// SeatsReading is how many seats were left at one moment.
type SeatsReading struct {
	AtMS float64 `json:"at_ms"` // since the start of the run
	Left int64   `json:"left"`
	When string  `json:"when"` // in the lifecycle, such as "after reserve"
}

// Leftover is a hold or booking that the run made and could not undo.
type Leftover struct {
	Kind           string `json:"kind"`           // "hold" or "booking"
	Code           string `json:"code,omitempty"` // reservation code or booking id; empty if there was no answer
	ProductID      string `json:"product_id"`
	OptionID       string `json:"option_id"`
	AvailabilityID string `json:"availability_id"`
	Start          string `json:"start"`
	Reference      string `json:"reference,omitempty"`  // the resellerReference of its reserve, if it had one
	Reason         string `json:"reason"`               // why it could not be undone
	ExpiresAt      string `json:"expires_at,omitempty"` // when a hold expires; the latest time if there was no answer
}

// SlotSeats is how many seats a slot had left before the run held anything, and after everything was undone.
type SlotSeats struct {
	ProductID      string `json:"product"`
	OptionID       string `json:"option"`
	AvailabilityID string `json:"slot"`
	Start          string `json:"start"`
	Before         int64  `json:"before"`
	After          int64  `json:"after"`             // 0 if it is not shown any more
	AtMostHeld     int64  `json:"at_most_held"`      // the seats of its holds and bookings that may be left
	Differs        bool   `json:"differs,omitempty"` // by more than what may be held: the run did not leave it as it was, unless other customers did
}

// CallerFault is a duty of the caller that recorded calls break. It shows nothing about the
// partner.
type CallerFault struct {
	ID       string   `json:"id"`     // as in the mock partner's verdict on its callers, such as "reserve.once"
	Clause   string   `json:"clause"` // one or several
	Title    string   `json:"title"`
	Message  string   `json:"message"` // about the first call that breaks it
	Calls    int      `json:"calls"`   // number of calls that break it
	Exchange Exchange `json:"exchange"`
}

// Baseline is the result of comparing a run with its baseline.
type Baseline struct {
	File  string       `json:"file"`
	Stale []StaleEntry `json:"stale"` // entries to delete; a run that has any is not accepted
}

// StaleEntry is a baseline entry for a failure that does not exist, or no longer exists.
type StaleEntry struct {
	Rule    string `json:"rule"`
	Line    int    `json:"line"`    // in the baseline's file, from 1
	Message string `json:"message"` // starts with the file and the line, and says what to do
}

// Exploration is the result of the random lifecycles.
type Exploration struct {
	Lifecycles int        `json:"stories"`          // number requested
	Seed       uint64     `json:"seed"`             // of the first lifecycle; each further one has the next seed
	Played     int        `json:"played"`           // completed, or played until one failed
	Steps      int        `json:"steps"`            // of the lifecycles that were played
	Disturbed  int        `json:"disturbed"`        // lifecycles played in which other customers changed seats
	Broken     *Lifecycle `json:"broken,omitempty"` // nil: no lifecycle failed
}

// Lifecycle is the shortest lifecycle that was found to break the contract.
type Lifecycle struct {
	Seed  uint64          `json:"seed"`  // of the lifecycle that it was derived from: --explore 1 --seed repeats it
	Drawn int             `json:"drawn"` // number of steps of that lifecycle
	Tries int             `json:"tries"` // number of lifecycles that were played to shorten it
	Slots []string        `json:"slots"` // the slots that its steps name, in words
	Steps []LifecycleStep `json:"steps"` // the last one fails
}

// LifecycleStep is one step of a lifecycle.
type LifecycleStep struct {
	Does string   `json:"does"` // such as "reserve 2 seats of slot A"
	Want string   `json:"want"`
	Got  string   `json:"got"`
	Curl []string `json:"curl"` // the calls of the step, in order
}

// Integrity is the checksum of a report. It distinguishes two reports, but does not prove who wrote
// one: anyone who changes a report can compute it again. Compare it with a SHA-256 that you
// received in another way, such as from the log of the run.
type Integrity struct {
	// SHA256 is the checksum of report.json without this member, in hexadecimal, over the canonical
	// form of RFC 8785: members sorted by name, no white space, numbers and texts written in one
	// way.
	SHA256 string `json:"sha256"`
}
