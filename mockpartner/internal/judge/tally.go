package judge

import (
	"fmt"
	"net/http"
	"strings"

	"partnerkit.dev/mockpartner/client"
)

const maxFindings = 20

type tally struct {
	judged   int
	unjudged []client.Unjudged
	findings []client.Finding
	more     int
}

func (b *tally) countKept() { b.judged++ }

// cannotJudge notes something that cannot be judged. There are few different reasons: they are sentences
// without data from the record.
func (b *tally) cannotJudge(reason string) {
	for i := range b.unjudged {
		if b.unjudged[i].Reason == reason {
			b.unjudged[i].Count++
			return
		}
	}
	b.unjudged = append(b.unjudged, client.Unjudged{Count: 1, Reason: reason})
}

// recordResult notes what a judge of single requests says about a call: what is wrong, or "".
func (b *tally) recordResult(c *call, wrong string) {
	if wrong == "" {
		b.countKept()
		return
	}
	b.recordBreach([]*call{c}, "%s%s.", strings.ToUpper(wrong[:1]), wrong[1:])
}

func (b *tally) recordBreach(calls []*call, format string, args ...any) {
	b.judged++
	if len(b.findings) == maxFindings {
		b.more++
		return
	}
	finding := client.Finding{Message: fmt.Sprintf(format, args...)}
	for _, c := range calls[:min(len(calls), maxQuotes)] {
		finding.Exchanges = append(finding.Exchanges, Quote(c.Exchange))
	}
	finding.More = len(calls) - len(finding.Exchanges)
	b.findings = append(b.findings, finding)
}

// These are reasons why a call cannot be judged.
const (
	unreadable = "the body cannot be read"
	early      = "it may be about something from before the record begins"
)

const (
	// maxQuotes is the maximum number of exchanges in one finding.
	maxQuotes = 4
	// maxQuotedBody is the maximum size of a body in a finding, in bytes.
	maxQuotedBody = 1 << 10
	// maxQuotedTarget is the maximum size of path and query in a finding, and of each header, in
	// bytes.
	maxQuotedTarget = 512
)

// Quote shortens an exchange. It keeps the headers Authorization (redacted by the journal) and
// Content-Type, and the first KiB of each body. It drops the facts before and after.
func Quote(e client.Exchange) client.Exchange {
	e.Target = clip(e.Target)
	e.Request, e.Answer = shortenMessage(e.Request), shortenMessage(e.Answer)
	e.Before, e.After = nil, nil
	return e
}

func shortenMessage(m client.Message) client.Message {
	short := client.Message{Header: http.Header{}, Body: m.Body, Truncated: m.Truncated}
	for _, name := range []string{"Authorization", "Content-Type"} {
		if value := m.Header.Get(name); value != "" {
			short.Header.Set(name, clip(value))
		}
	}
	if len(short.Body) > maxQuotedBody {
		short.Body, short.Truncated = short.Body[:maxQuotedBody], true
	}
	return short
}

func clip(text string) string {
	if len(text) <= maxQuotedTarget {
		return text
	}
	return text[:maxQuotedTarget] + "…"
}
