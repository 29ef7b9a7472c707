package judge

import (
	"strings"
	"testing"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
)

func TestFindingsAreBoundedAndCounted(t *testing.T) {
	t.Parallel()
	const many = 3 * mostFindings
	fields := NewFields(strings.Clone)
	for number := range many {
		fields.add(rule.SlotID, "want an id", &probe.Exchange{Number: number, Response: &probe.Response{}}, map[string]any{"id": "x"}, "/id")
	}
	finding := fields.Finding(rule.SlotID.ID)
	if len(finding.Problems) != mostFindings || len(finding.Exchanges) != mostFindings {
		t.Errorf("want %d of %d findings kept, got %d with %d exchanges", mostFindings, many, len(finding.Problems), len(finding.Exchanges))
	}
	if got, want := finding.Message, "want an id (and 59 more)"; got != want {
		t.Errorf("want %q, got %q", want, got)
	}
}
