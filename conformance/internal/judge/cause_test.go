package judge

import (
	"strings"
	"testing"

	"partnerkit.dev/conformance/internal/partner"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/conformance/rule"
	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

func stop(kind partner.Kind, endpoint partnerapi.Endpoint, form partner.Form) *partner.Stop {
	return &partner.Stop{Kind: kind, Endpoint: endpoint, Form: form, Message: "stopped"}
}

func TestAStopNamesTheRuleThatItShowsToBeBroken(t *testing.T) {
	t.Parallel()
	misfit := stop(partner.Misfit, partnerapi.Confirm, partner.Usual)
	misfit.Problem = schemas.Problem{Pointer: "/externalBookingId", Keyword: "type"}
	for _, test := range []struct {
		name string
		stop *partner.Stop
		want string // id of the rule, or the outcome where none is broken
	}{
		{"no connection", stop(partner.Unreachable, partnerapi.Products, partner.Usual), rule.Reachable.ID},
		{"the key is refused", stop(partner.KeyRefused, partnerapi.Products, partner.Usual), rule.KeyAccepted.ID},
		{"a late pull", stop(partner.Late, partnerapi.Products, partner.Usual), rule.ProductsLimit.ID},
		{"a late probe", stop(partner.Late, partnerapi.Products, partner.Probe), rule.ProbeLimit.ID},
		{"changes that are refused", stop(partner.WrongStatus, partnerapi.Products, partner.Changes), rule.UpdatedSince.ID},
		{"slots that are not found", stop(partner.WrongStatus, partnerapi.Availability, partner.NotFound), rule.EmptyWindow.ID},
		{"slots in another shape", stop(partner.WrongShape, partnerapi.Availability, partner.Usual), rule.AvailabilityShape.ID},
		{"a reserve that fails", stop(partner.WrongStatus, partnerapi.Reserve, partner.Usual), rule.ReserveStatus.ID},
		{"no reserve that is accepted", stop(partner.NoneAccepted, partnerapi.Reserve, partner.Usual), rule.ReserveAccepts.ID},
		{"a refusal of a hold without contact", stop(partner.Refused, partnerapi.Reserve, partner.Minimal), rule.ReserveMinimal.ID},
		{"a refusal", stop(partner.Refused, partnerapi.Reserve, partner.Usual), string(report.Inconclusive)},
		{"a confirm that is refused the code alone", stop(partner.WrongStatus, partnerapi.Confirm, partner.Minimal), rule.ConfirmMinimal.ID},
		{"a booking without an id", misfit, rule.ConfirmBookingID.ID},
		{"a release that is not JSON", stop(partner.Unreadable, partnerapi.Release, partner.Usual), rule.ReleaseJSON.ID},
		{"a cancel that is refused without a body", stop(partner.WrongStatus, partnerapi.Cancel, partner.Minimal), rule.CancelWithoutBody.ID},
		{"nothing to book", partner.NewStop("no slot"), string(report.Inconclusive)},
		{"a feature that the partner lacks", stop(partner.Unsupported, "", partner.Usual), string(report.NotApplicable)},
		{"bounds", stop(partner.OutOfBounds, "", partner.Usual), string(report.Inconclusive)},
		{"nothing", nil, ""},
	} {
		f := FromStop(test.stop)
		got := string(f.Outcome)
		if f.Cause != nil {
			got = f.Cause.ID
		}
		if got != test.want {
			t.Errorf("%s: want %q, got %q", test.name, test.want, got)
		}
		if broken := f.Cause != nil; test.stop != nil && broken == test.stop.OnlyMissing() {
			t.Errorf("%s: want the scenario and the judges to agree on whether the partner is to blame, got %t", test.name, broken)
		}
	}
}

func TestUnusualInputIsBlamedOnlyIfUsualCallsSucceed(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		met  *partner.Stop
		want string // id of the rule that is blamed; "" none
	}{
		{"nothing", nil, ""},
		{"a refusal", stop(partner.Refused, partnerapi.Reserve, partner.Usual), rule.ReserveUnknownFields.ID},
		{"another status", stop(partner.WrongStatus, partnerapi.Reserve, partner.Usual), rule.ReserveUnknownFields.ID},
		{"a late answer", stop(partner.Late, partnerapi.Reserve, partner.Usual), rule.ReserveLimit.ID},
		{"a breach elsewhere", stop(partner.WrongStatus, partnerapi.Availability, partner.Usual), rule.AvailabilityStatus.ID},
		{"nothing to book", partner.NewStop("no slot"), ""},
	} {
		f, id := attributeStop(rule.ReserveUnknownFields, test.met), ""
		if f.Cause != nil {
			id = f.Cause.ID
		}
		if id != test.want {
			t.Errorf("%s: want %q blamed, got %q", test.name, test.want, id)
		}
	}
	unusual := unusualReached(false, stop(partner.WrongStatus, partnerapi.Confirm, partner.Unusual), rule.ReserveAnyAlphabet, rule.ConfirmAnyAlphabet)
	if unusual.Cause == nil || unusual.Cause.ID != rule.ConfirmAnyAlphabet.ID {
		t.Errorf("want an unusual confirm to break its own rule, got %+v", unusual.Cause)
	}
}

func TestOneFunctionDecidesWhatACauseBlocks(t *testing.T) {
	t.Parallel()
	fails := func(r rule.Rule) Finding { return Finding{Outcome: report.Failed, Message: "wrong", Cause: &r} }
	suspicious := notApplicable("no tickets")
	suspicious.Suspects = []rule.Rule{rule.ConfirmTickets}
	for _, test := range []struct {
		name    string
		broken  []rule.Rule // before
		rule    rule.Rule
		finding Finding
		want    report.Outcome
		cause   string
	}{
		{"nothing is found", nil, rule.ReserveCode, Finding{}, report.Passed, ""},
		{"the rule itself is broken", nil, rule.ReserveCode, fails(rule.ReserveCode), report.Failed, ""},
		{"so is one that is only advised", nil, rule.ReserveNobody, Breach("held"), report.Warned, ""},
		{"a rule that builds on it is broken", nil, rule.ReserveStatus, fails(rule.ReserveCode), report.Passed, ""},
		{"another rule is broken", nil, rule.ReleaseStatus, fails(rule.ConfirmStatus), report.Blocked, rule.ConfirmStatus.ID},
		{"a rule that it needs is broken", []rule.Rule{rule.ReserveCode}, rule.ReleaseStatus, Finding{}, report.Blocked, rule.ReserveCode.ID},
		{"a suspect is broken", []rule.Rule{rule.ConfirmTickets}, rule.ConfirmEcho, suspicious, report.Blocked, rule.ConfirmTickets.ID},
		{"no suspect is broken", nil, rule.ConfirmEcho, suspicious, report.NotApplicable, ""},
		{"the user left it out", []rule.Rule{rule.ReserveCode}, rule.ReleaseStatus, Finding{Outcome: report.Skipped}, report.Skipped, ""},
		{"it cannot be judged without another", nil, rule.ReserveExpiresLater, blockedBy(rule.ReserveExpiresAt), report.Blocked, rule.ReserveExpiresAt.ID},
		{"the partner is not reached", nil, rule.Reachable, fails(rule.Reachable), report.Inconclusive, ""},
	} {
		v := NewVerdicts(strings.Clone)
		for _, r := range test.broken {
			blame(v, r, "broken before")
		}
		if outcome, cause := v.Decide(test.rule, test.finding); outcome != test.want || cause != test.cause {
			t.Errorf("%s: want %s %q, got %s %q", test.name, test.want, test.cause, outcome, cause)
		}
	}
}
