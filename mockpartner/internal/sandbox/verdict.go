package sandbox

import (
	"time"

	"partnerkit.dev/mockpartner/internal/judge"
)

// Verdict tells whether the sandbox's callers kept their side of the contract, by
// what the journal holds and by the clock.
func (s *Sandbox) Verdict() judge.Verdict {
	return judge.Judge(judge.Case{
		Record:  s.journal.Record(),
		Catalog: s.platform.Catalog(),
		Form:    s.credential.Form(),
		Now:     s.clock.Now(),
		Real:    time.Now(),
	})
}
