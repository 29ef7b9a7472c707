package live

import (
	"bytes"
	"embed"
	"fmt"
	"html/template"
	"net/http"
	"sync"
	"time"

	"partnerkit.dev/conformance/internal/view"
	"partnerkit.dev/conformance/report"
	"partnerkit.dev/internal/loopback"
	"partnerkit.dev/internal/plural"
	"partnerkit.dev/internal/webui"
)

var (
	//go:embed page/*.html
	templates embed.FS
	//go:embed page/status.css
	ownStyle string
)

// refreshAfter is the number of seconds after which a browser reloads the page.
const refreshAfter = 2

var statusTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(webui.Templates(templates, template.FuncMap{
		"ms": view.Milliseconds, "plural": plural.Count, "thousands": plural.Thousands,
	}))
})

// statusPage is what the page shows.
type statusPage struct {
	*report.Result
	Head              webui.Head
	Heading, Sentence string
	Failed, Warned    []report.RuleResult
	At                time.Time
	Since             time.Time
	Judged, Waiting   int
	Dropped           int
	Recorded, Missing int
	Records           bool
}

// Admin returns a handler for the status page, the metrics and the health of a proxy.
func (w *Watcher) Admin() http.Handler {
	routes := http.NewServeMux()
	routes.HandleFunc("GET /{$}", w.showStatus)
	routes.Handle("GET /metrics", w.Metrics())
	routes.HandleFunc("GET /healthz", func(answer http.ResponseWriter, _ *http.Request) {
		answer.Header().Set("Content-Type", "text/plain; charset=utf-8")
		fmt.Fprintln(answer, "ok")
	})
	return loopback.Guard(routes)
}

func (w *Watcher) showStatus(answer http.ResponseWriter, _ *http.Request) {
	style := webui.Style(ownStyle)
	var page bytes.Buffer
	if err := statusTemplate().ExecuteTemplate(&page, "status.html", w.statusPage(style)); err != nil {
		http.Error(answer, "the page cannot be drawn", http.StatusInternalServerError)
		return
	}
	header := answer.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Security-Policy", "default-src 'none'; style-src "+webui.HashSource(style)+"; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'")
	header.Set("X-Content-Type-Options", "nosniff")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cache-Control", "no-store")
	header.Set("Refresh", fmt.Sprint(refreshAfter))
	_, _ = answer.Write(page.Bytes()) // a browser that has disconnected needs no page
}

func (w *Watcher) statusPage(style string) statusPage {
	findings := w.published.Load()
	s := statusPage{
		Result: findings.Result, At: findings.At.UTC(), Since: w.began.UTC(),
		Judged: int(w.judged.Load()), Waiting: w.PendingCalls(), Dropped: int(w.queue.lostCalls.Load() + w.queue.lateCalls.Load()),
		Head: webui.Head{Title: "Conformance proxy", Style: template.CSS(style), Icon: webui.Icon("M3 8h10M9 4l4 4-4 4", "2")},
	}
	for _, r := range s.Rules {
		switch r.Outcome {
		case report.Failed:
			s.Failed = append(s.Failed, r)
		case report.Warned:
			s.Warned = append(s.Warned, r)
		}
	}
	if r := w.options.Recorder; r != nil {
		s.Records, s.Recorded, s.Missing = true, int(r.written.Load()), int(r.failed.Load())
	}
	s.Heading, s.Sentence = view.VerdictWords(s.Result)
	return s
}
