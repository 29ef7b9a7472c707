package main_test

import (
	"slices"
	"strings"
	"testing"

	"partnerkit.dev/conformance/report"
	"partnerkit.dev/mockpartner"
)

func TestARunShowsTheSeatsOfEverySlotBeforeItAndAfterIt(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		defect, breaks string
	}{
		{"", ""},
		{"release-gives-seats-back-twice", "release.vacancies.one"},
		{"cancel-gives-seats-back-twice", "cancel.vacancies"},
	} {
		t.Run(test.defect, func(t *testing.T) {
			t.Parallel()
			options := mockpartner.Options{}
			if test.defect != "" {
				options.Defects = []string{test.defect}
			}
			_, address := startMock(t, options)
			r := judge(t, address, ofMock(address, "--depth", "quick")...)
			wrong := 0
			for _, slot := range r.result.Slots {
				if slot.Differs {
					wrong++
				}
				if slot.Differs != (slot.After > slot.Before || slot.After < slot.Before-slot.AtMostHeld) {
					t.Errorf("Expected a slot to differ if its seats do, received %+v", slot)
				}
			}
			failed := r.outcomes(report.Failed)
			switch {
			case len(r.result.Slots) == 0:
				t.Error("Expected the slots that the run held, received none")
			case test.defect == "" && (wrong > 0 || len(failed) > 0):
				t.Errorf("Expected every slot as it was, received %d others, and failed %q", wrong, failed)
			case test.defect != "" && (wrong < 2 || !slices.Contains(failed, test.breaks) || !strings.Contains(r.stdout, "Seats left wrong in ")):
				t.Errorf("Expected slots with other seats and %s to fail, received %d slots and failed %q:\n%s", test.breaks, wrong, failed, r.stdout)
			}
		})
	}
}
