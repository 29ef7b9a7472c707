package plan_test

import (
	"math/rand/v2"
	"regexp"
	"slices"
	"testing"

	"partnerkit.dev/conformance/internal/plan"
)

func formsOf(live string, others ...string) (forms []string) {
	for _, near := range plan.NearCodes(live, others, rand.New(rand.NewPCG(1, 1))) {
		forms = append(forms, near.Form)
	}
	return forms
}

func TestSequentialCodesHaveNoNearCodeThatMayBeAnotherCustomers(t *testing.T) {
	t.Parallel()
	for _, codes := range [][]string{{"10023", "10022"}, {"T7X9-00012", "T7X9-00011"}, {"COMPANY-RESERVATION-0099", "COMPANY-RESERVATION-0101"}, {"R-9F3KQ2ZX-17"}} {
		for _, form := range []string{"without its last character", "without its first character", "cut in half", "of the same format"} {
			if slices.Contains(formsOf(codes[0], codes[1:]...), form) {
				t.Errorf("expected no code %s for %q", form, codes)
			}
		}
	}
}

func TestDrawnCodesHaveNearCodesOfTheirForm(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^R-[A-Z0-9]{8}-[0-9]+$`)
	near := plan.NearCodes("R-9F3KQ2ZX-17", []string{"R-AB81LLQ0-18"}, rand.New(rand.NewPCG(1, 1)))
	at := slices.IndexFunc(near, func(c plan.NearCode) bool { return c.Form == "of the same format" })
	if at < 0 || !form.MatchString(near[at].Code) || near[at].Code == "R-9F3KQ2ZX-17" {
		t.Errorf("expected another code of the same form, got %v", near)
	}
}

func TestEveryNearCodeDiffersFromTheLiveOneAndFromTheOthers(t *testing.T) {
	t.Parallel()
	for _, live := range []string{"R-9F3KQ2ZX-17", "7", "~", "ü/%2F", "5c0b5f0e-6d2b-4c7b-9d3e-0f8d3a1b2c3d"} {
		seen := map[string]bool{live: true}
		for _, near := range plan.NearCodes(live, []string{"5a31777e-1111-4aaa-8bbb-000000000000"}, rand.New(rand.NewPCG(1, 1))) {
			if seen[near.Code] {
				t.Errorf("expected each code once, got %q again (%s)", near.Code, near.Form)
			}
			seen[near.Code] = true
		}
	}
	if forms := formsOf(""); forms != nil {
		t.Errorf("expected none near no code, got %v", forms)
	}
}
