package console

import (
	"bytes"
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/gorilla/mux"

	"partnerkit.dev/internal/webui"
	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/console/format"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/marketplace/internal/postgres"
)

// exchange is one request of a browser.
type exchange struct {
	*console
	*caller
	cookies cookies
	site    *site
	w       http.ResponseWriter
	r       *http.Request
	session auth.Session
	given   url.Values // a form's fields

	streamed bool // the answer is a part of a stream, whose head can no longer delete a cookie
}

// reader formats for the browser's language.
func (x *exchange) reader() format.Reader { return format.NewReader(x.r.Header.Get("Accept-Language")) }

// handler shows a page or returns an error.
type handler func(*exchange) error

// frame is the common part of all pages.
type frame struct {
	Page     string // its title
	Section  string // the selected entry of the navigation
	SignedIn string // the viewer's email address; "" if not signed in
	Site     *site
	Follow   string // the address of its changes; "": it does not change by itself

	reader format.Reader
	now    time.Time
	note   func() *note // takes the pending note; nil: the page shows none
}

// Note takes the note that waits for a page. A part of a page, such as a preview of prices, leaves it there.
func (f *frame) Note() *note {
	if f.note == nil {
		return nil
	}
	return f.note()
}

// Money formats an amount for the viewer.
func (f *frame) Money(amount client.Decimal, currency string) string {
	return f.reader.Money(string(amount), currency)
}

// Percent formats a share of a whole.
func (f *frame) Percent(part, whole int) string { return f.reader.Percent(part, whole) }

// Count formats a number of things.
func (f *frame) Count(n int) string { return f.reader.Count(n) }

// Plural formats a number of things with their noun.
func (f *frame) Plural(n int, one, many string) string { return f.reader.Plural(n, one, many) }

// pastTime is a time with its age.
type pastTime struct {
	*pageTime        // with empty texts: never
	Age       string // 3 h ago
}

// PastTime returns a time with its age.
func (f *frame) PastTime(at time.Time) pastTime {
	if at.IsZero() {
		return pastTime{pageTime: &pageTime{}}
	}
	return pastTime{momentOf(at), format.Age(f.now.Sub(at))}
}

func (f *frame) baseFrame() *frame { return f }

// HasResults reports whether the page has a list to skip to. Most have none.
func (f *frame) HasResults() bool { return false }

// page is the data of a template.
type page interface{ baseFrame() *frame }

// page adapts a handler to http.Handler.
func (c *console) page(of *site, show handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		x := &exchange{
			console: c, site: of, w: w, r: r, cookies: cookies{w, r, of.Name, c.Secure},
			caller: &caller{handler: c.api, context: r.Context(), host: r.Host, remote: r.RemoteAddr, requestID: w.Header().Get("X-Request-Id")},
		}
		err := show(x)
		if err == nil {
			return
		}
		problem := asRefusal(err)
		if problem == nil {
			id := w.Header().Get("X-Request-Id")
			c.Log.ErrorContext(r.Context(), "a console page failed", slog.String("request_id", id), slog.Any("error", err))
			problem = &refusal{Status: http.StatusInternalServerError, Message: "unexpected error; the log has details for request " + id}
			if gone := postgres.UnavailableError(err); gone != nil {
				row := domain.ReasonOf(gone).Row()
				problem = &refusal{Status: row.Status, Message: gone.Message, retryAfter: strconv.Itoa(int(row.RetryAfter.Seconds()))}
			}
		}
		if err := x.showProblem(problem); err != nil {
			http.Error(w, problem.Message, problem.Status)
		}
	})
}

// problemPage shows an error.
type problemPage struct {
	frame
	Problem *refusal
}

func (x *exchange) showProblem(problem *refusal) error {
	if problem.retryAfter != "" {
		x.w.Header().Set("Retry-After", problem.retryAfter)
	}
	return x.show(problem.Status, "problem.html", &problemPage{frame{Page: http.StatusText(problem.Status)}, problem})
}

// show answers with a page that cannot be framed or cached, and that runs only our scripts.
func (x *exchange) show(status int, name string, p page) error {
	f := p.baseFrame()
	f.Site, f.reader, f.now = x.site, x.reader(), x.Now()
	if f.SignedIn = x.session.Account.Email; f.SignedIn != "" && !x.streamed {
		f.note = x.noteOf
	}
	var text bytes.Buffer
	if err := assets().templates.ExecuteTemplate(&text, name, p); err != nil {
		return err
	}
	header := x.w.Header()
	header.Set("Content-Security-Policy", policyOf(f))
	header.Set("X-Frame-Options", "DENY")
	header.Set("Referrer-Policy", "no-referrer")
	header.Set("Cross-Origin-Opener-Policy", "same-origin")
	header.Set("Cache-Control", "no-store")
	webui.Send(x.w, x.r, status, "text/html; charset=utf-8", text.Bytes())
	return nil
}

// Script returns the address of the pages' script, or "" for a page without sign-in, which needs none.
func (f *frame) Script() string {
	if f.SignedIn == "" {
		return ""
	}
	return f.Site.Root + scriptPath()
}

// policyOf returns a page's Content-Security-Policy: it may use its own style and submit its own
// forms. A page with a script may run ours.
func policyOf(f *frame) string {
	policy := "default-src 'none'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
	if f.Script() != "" {
		policy += "; script-src 'self'; connect-src 'self'"
	}
	return policy
}

// goTo redirects the browser to another page.
func (x *exchange) goTo(address string) error {
	x.w.Header().Set("Location", address)
	x.w.Header().Set("Cache-Control", "no-store")
	x.w.WriteHeader(http.StatusSeeOther)
	return nil
}

// done redirects to a page with a note.
func (x *exchange) done(address, words string) error {
	if err := x.say(note{Words: words}); err != nil {
		return err
	}
	return x.goTo(address)
}

// act makes a button's call and redirects to a page with the result.
func (x *exchange) act(address string, call func() (words string, err error)) error {
	return x.actWith(address, func() (note, error) {
		words, err := call()
		return note{Words: words}, err
	})
}

// actWith is act for a call whose result is a note.
func (x *exchange) actWith(address string, call func() (note, error)) error {
	n, err := call()
	if err == nil {
		if err := x.say(n); err != nil {
			return err
		}
		return x.goTo(address)
	}
	problem := asRefusal(err)
	if problem == nil || problem.Status == http.StatusUnauthorized || problem.Status == http.StatusNotFound ||
		problem.Status == http.StatusInternalServerError || problem.Status == http.StatusServiceUnavailable {
		return err
	}
	if err := x.say(note{Words: problem.words(), Failed: true}); err != nil {
		return err
	}
	return x.goTo(address)
}

// largestForm limits a form, in bytes: the largest body of the API, escaped.
const largestForm = 4 << 20

// withForm parses a form before the handler is called.
func withForm(next handler) handler {
	return func(x *exchange) error {
		x.r.Body = http.MaxBytesReader(x.w, x.r.Body, largestForm)
		if err := x.r.ParseMultipartForm(largestForm); err != nil && !errors.Is(err, http.ErrNotMultipart) {
			status, tooLarge := http.StatusBadRequest, (*http.MaxBytesError)(nil)
			if errors.As(err, &tooLarge) {
				status = http.StatusRequestEntityTooLarge
			}
			return &refusal{Status: status, Message: "the form cannot be read"}
		}
		x.given = x.r.PostForm
		return next(x)
	}
}

// id returns the id in the path, still escaped.
func (x *exchange) id() string { return mux.Vars(x.r)["id"] }
