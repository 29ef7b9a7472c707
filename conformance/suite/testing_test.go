package suite_test

import (
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"testing"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/mockpartner"
)

// judgedInAChild has TestConformance judge a partner in a process of its own, as a
// process can judge one only, and returns what it printed and whether it passed.
func judgedInAChild(t *testing.T, url, key string) (output string, passed bool) {
	t.Helper()
	child := exec.CommandContext(t.Context(), os.Args[0], "-test.run", "^TestConformance$", "-test.v")
	child.Env = append(os.Environ(), "CONFORMANCE_BASE_URL="+url, "CONFORMANCE_DEPTH=quick", probe.KeyVariable+"="+key)
	out, err := child.CombinedOutput()
	return string(out), err == nil
}

func TestABrokenRuleFailsTheSubtestOfItsNameWithTheCallsThatShowIt(t *testing.T) {
	t.Parallel()
	const key = "a-key-for-a-child"
	mock, err := mockpartner.New(mockpartner.Options{AuthKey: key, Defects: []string{"second-confirm-books-again", "hold-of-an-hour"}})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(mock)
	t.Cleanup(server.Close)
	output, passed := judgedInAChild(t, server.URL, key)
	if passed {
		t.Errorf("want the test failed, got\n%s", output)
	}
	for _, want := range []string{
		"--- FAIL: TestConformance/confirm.repeat.booking",
		"MUST (CNF-4): A second confirm of a code makes no second booking.",
		"fix: Store the booking under the reservation code",
		"curl ",
		"SHOULD (RSV-7)",
		"--- PASS: TestConformance/reserve.status",
		"--- SKIP: TestConformance/release.expired",
	} {
		if !strings.Contains(output, want) {
			t.Errorf("want it to say %q, got\n%s", want, output)
		}
	}
	if strings.Contains(output, key) {
		t.Error("want the key nowhere")
	}
}

func TestAPartnerThatCannotBeJudgedEndsTheTestWithTheReason(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(nil)
	server.Close()
	output, passed := judgedInAChild(t, server.URL, "a-key-for-a-child")
	if passed || !strings.Contains(output, "the partner could not be judged: the partner could not be reached") {
		t.Errorf("want the test failed with the reason, got\n%s", output)
	}
}

func TestARunThatCannotBeMadeEndsTheTestBeforeAnythingIsSent(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(nil)
	t.Cleanup(server.Close)
	output, passed := judgedInAChild(t, server.URL, "")
	if passed || !strings.Contains(output, "the key is missing") {
		t.Errorf("want the test failed for want of a key, got\n%s", output)
	}
}
