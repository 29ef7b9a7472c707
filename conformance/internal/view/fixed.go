package view

import (
	"bytes"
	"fmt"
	"io/fs"
	"net/http"
	"time"

	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/conformance/internal/rule"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/schemas/partnerapi"
)

// FixedText returns what reports contain whatever the partner sent: the words
// of the views, the page's own files and the rule catalogue. A key that
// stands in it (such as "products") cannot be searched for in a report. It is that of
// the files that are named, of all where none is.
func FixedText(names ...string) ([][]byte, error) {
	r, err := report.Seal(blank())
	if err != nil {
		return nil, err
	}
	var all [][]byte
	for _, v := range chosen(r, names) {
		var content bytes.Buffer
		if err := v.write(&content, r); err != nil {
			return nil, err
		}
		all = append(all, content.Bytes())
		if v.name == pageFile {
			all = append(all, []byte(style()), []byte(script))
			err = fs.WalkDir(templates, "page", func(name string, file fs.DirEntry, err error) error {
				if err != nil || file.IsDir() {
					return err
				}
				content, err := templates.ReadFile(name)
				all = append(all, content)
				return err
			})
			if err != nil {
				return nil, fmt.Errorf("read the page's files: %w", err)
			}
		}
	}
	return all, nil
}

// blank is a result in which every field and every outcome occurs, and no word
// of a partner.
func blank() *report.Result {
	at := time.Unix(0, 0).UTC()
	r := &report.Result{Verdict: report.Nonconformant, StartedAt: at, LimitScale: 1, Ledger: "?", NotUndone: []report.Leftover{{Kind: "hold"}, {Kind: "booking"}},
		Baseline: &report.Baseline{Stale: []report.StaleEntry{{}}}}
	exchange := probe.Exchange{
		StartedAt: at, Request: probe.Request{Body: probe.Body{Size: 2, Cut: true}},
		Response: &probe.Response{Header: http.Header{"Set-Cookie": {"a=b"}}}, Failure: &probe.Failure{Kind: probe.Timeout},
	}
	r.Calls = []*probe.Exchange{&exchange}
	r.Vacancies = []report.SlotVacancies{{Readings: make([]report.SeatsReading, 2)}}
	for i, one := range rule.All() {
		r.Rules = append(r.Rules, report.RuleResult{
			ID: one.ID, Title: one.Title, Endpoint: one.Endpoint, Level: one.Level, Clause: one.Clause, Why: one.Why, Fix: one.Fix,
			Outcome: report.Outcomes()[i%len(report.Outcomes())], Exchanges: []probe.Exchange{exchange},
		})
	}
	for _, e := range partnerapi.Endpoints() {
		r.Latency = append(r.Latency, report.Latency{Endpoint: e})
	}
	return r
}
