package console

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"partnerkit.dev/marketplace/client"
)

// The limits of the evidence on a page. The report has the rest.
const (
	mostReport     = 16 << 20 // bytes of a report.json that is read
	mostCalls      = 5        // of a rule
	mostPlaces     = 10       // of a rule
	longestAnswer  = 2 << 10  // in bytes
	longestCommand = 8 << 10  // in bytes; longer ones are left out, because a part of a command is useless
)

// evidence is what a report shows about a broken rule.
type evidence struct {
	ID       string         `json:"id"`
	Why      string         `json:"why"`
	Problems []string       `json:"problems"`
	Calls    []evidenceCall `json:"exchanges"`
	More     int            `json:"-"` // calls that are left out
}

// evidenceCall is a call of the suite and the partner's answer.
type evidenceCall struct {
	ID       string        `json:"-"` // of its command on the page
	Number   int           `json:"number"`
	Purpose  string        `json:"purpose"`
	Duration time.Duration `json:"duration_ns"`
	Request  struct {
		Method string `json:"method"`
		URL    string `json:"url"`
	} `json:"request"`
	Response *struct {
		Status int `json:"status"`
		Body   struct {
			Text    string `json:"text"`
			Excerpt string `json:"excerpt"`
			Place   string `json:"place"`
		} `json:"body"`
	} `json:"response"` // nil: no answer
	Failure *struct {
		Message string `json:"message"`
	} `json:"failure"`
	Curl     string `json:"curl"`
	Recorded bool   `json:"-"` // the marketplace made the call: there is no command that repeats it
}

// Answer returns the relevant part of the answer's body, otherwise its beginning.
func (c evidenceCall) Answer() string {
	if c.Response == nil {
		return ""
	}
	body := c.Response.Body
	if body.Excerpt != "" {
		return shortenAnswer(body.Excerpt)
	}
	var text bytes.Buffer
	if json.Indent(&text, []byte(body.Text), "", "  ") != nil {
		return shortenAnswer(body.Text)
	}
	return shortenAnswer(text.String())
}

// judgedEvidence returns the calls that show a breach in the traffic; nil without any.
func judgedEvidence(b client.Breach) *evidence {
	e := &evidence{ID: b.Rule}
	if json.Unmarshal(b.Exchanges, &e.Calls) != nil || len(e.Calls) == 0 {
		return nil
	}
	for i := range e.Calls {
		e.Calls[i].Recorded = true
	}
	return e
}

// TimeTaken returns how long the call took.
func (c evidenceCall) TimeTaken() string { return callDuration(c.Duration) }

func shortenAnswer(text string) string {
	if len(text) <= longestAnswer {
		return text
	}
	return strings.ToValidUTF8(text[:longestAnswer], "") + "…"
}

// evidence returns the evidence of a run's report for its findings, by rule. Without it the page
// leads to the report.
func (x *exchange) evidence(run client.Run) (map[string]*evidence, error) {
	if len(run.Findings) == 0 {
		return nil, nil
	}
	request, err := x.request(http.MethodGet, "/partner-integrations/"+x.id()+"/conformance-runs/"+run.ID+"/report.json", nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Accept-Encoding", "gzip") // it stays small until it is read
	got := answer{header: http.Header{}}
	x.caller.serve(&got, request)
	if got.status != http.StatusOK {
		return nil, nil
	}
	rules, err := readEvidence(&got.body)
	if err != nil {
		x.Log.WarnContext(x.r.Context(), "a conformance report is not shown on its page", slog.String("run_id", run.ID), slog.Any("error", err))
		return nil, nil
	}
	found := make(map[string]*evidence, len(run.Findings))
	for _, f := range run.Findings {
		if e, ok := rules[f.Rule]; ok {
			found[f.Rule] = e
		}
	}
	return found, nil
}

// readEvidence reads a compressed report.json.
func readEvidence(packed io.Reader) (map[string]*evidence, error) {
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		return nil, err
	}
	limited := &io.LimitedReader{R: unpacked, N: mostReport}
	var report struct {
		Rules []*evidence `json:"rules"`
	}
	if err := json.NewDecoder(limited).Decode(&report); err != nil {
		if limited.N == 0 {
			return nil, fmt.Errorf("it has more than %d bytes", mostReport)
		}
		return nil, err
	}
	rules := make(map[string]*evidence, len(report.Rules))
	for _, e := range report.Rules {
		if len(e.Calls) == 0 && len(e.Problems) == 0 {
			continue
		}
		if len(e.Calls) > mostCalls {
			e.More, e.Calls = len(e.Calls)-mostCalls, e.Calls[:mostCalls]
		}
		e.Problems = e.Problems[:min(len(e.Problems), mostPlaces)]
		for i := range e.Calls {
			e.Calls[i].ID = fmt.Sprintf("curl-%s-%d", e.ID, e.Calls[i].Number)
			if len(e.Calls[i].Curl) > longestCommand {
				e.Calls[i].Curl = ""
			}
		}
		rules[e.ID] = e
	}
	return rules, nil
}
