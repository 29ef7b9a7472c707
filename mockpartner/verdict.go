package mockpartner

import (
	"testing"

	"partnerkit.dev/mockpartner/internal/judge"
)

// AssertCallerKept fails the test where the callers of the default sandbox broke
// their side of the contract, with every finding in words. A sandbox that nobody
// has called fails it too: there is nothing that was kept.
func (s *Server) AssertCallerKept(t testing.TB) {
	t.Helper()
	AssertCallerKept(t, s.Default())
}

// AssertCallerKept is Server.AssertCallerKept for one sandbox.
func AssertCallerKept(t testing.TB, box *Sandbox) {
	t.Helper()
	if verdict := box.Verdict(); verdict.Verdict != judge.Kept {
		t.Errorf("sandbox %s: %s", box.Name(), verdict)
	}
}
