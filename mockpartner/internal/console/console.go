// Package console is the web page of a sandbox, at /_mock/. It shows requests and answers, holds
// and bookings, a grid of slots, the clock, and everything that makes the sandbox misbehave.
//
// The complete page is rendered on the server from the sandbox's state. Its script fetches only the blocks
// that have changed, so the page works the same without a script. Lists are short, with a link that shows more. Each control is
// a form for exactly one call of the control API. The page makes only that call, and shows the
// equivalent curl command.
package console

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"partnerkit.dev/internal/plural"
	"partnerkit.dev/mockpartner/internal/defects"
	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/mockpartner/internal/sandbox"
	"partnerkit.dev/schemas/partnerapi"
)

// Config configures a console.
type Config struct {
	Sandboxes *sandbox.Registry
	// API answers the control API's calls, for the sandbox of the request's context.
	API http.Handler
	// Path is the path of the control API below a sandbox, such as /_mock.
	Path string
	// Token says that callers of the API from outside must present a token.
	Token bool
}

// Console answers with pages. It is safe for concurrent use.
type Console struct{ Config }

// New returns a console.
func New(c Config) *Console { return &Console{c} }

type builder struct {
	console *Console
	request *http.Request
	box     *sandbox.Sandbox
	inside  platform.State
	choice  chosen
	refused refused
	placed  bool // the refusal is shown at its form
	curls   []curlView
}

func (b *builder) base() string { return sandbox.BaseURL(b.request, b.box.Name()) }

// call completes a call. If it was just refused, it adds the error and the entered values. It also
// adds the curl command to the menu.
func (b *builder) call(c call) call {
	if c.ID == b.refused.id {
		c.Refusal, b.placed = b.refused.message, true
		for i, f := range c.Fields {
			if f.Kind == secretField {
				continue // it must be entered again
			}
			entered := url.Values(b.refused.form).Get(f.Input())
			c.Fields[i].Checked = entered != ""
			c.Fields[i].Value = cmp.Or(entered, f.Value)
		}
	}
	if !b.choice.curl {
		return c
	}
	body, _ := bodyOf(c.form()) // an error is reported when the form is sent
	line := curl(c.Method, b.base()+b.console.Path+c.Path, body, b.console.Token)
	b.curls = append(b.curls, curlView{c.ID, c.Label + ": " + c.Of, line})
	return c
}

// refused is a call of a form that failed.
type refused struct {
	id      string
	message string
	form    map[string][]string
}

// chosen is the selection in the page's query. Missing or invalid parameters have their defaults.
type chosen struct {
	product, option string
	from            string            // a date; "" is today
	slot            string            // the slot whose details are shown
	exchange        uint64            // the exchange whose headers and bodies are shown; 0 means none
	judged          bool              // the callers are judged
	curl            bool              // every button is shown as a command
	all             []string          // the lists that are shown in full
	found           map[string]string // the words to find among defects and variants
	listed          listed
}

func choiceOf(query url.Values) chosen {
	c := chosen{product: query.Get("product"), option: query.Get("option"), slot: query.Get("slot"), judged: query.Has("judged"), curl: query.Has("curl"), listed: listedOf(query), found: map[string]string{}}
	c.all = strings.Fields(query.Get("all"))
	for _, kind := range []defects.Kind{defects.Defects, defects.Variants} {
		c.found[string(kind)] = query.Get(string(kind))
	}
	if _, err := time.Parse(partnerapi.DateLayout, query.Get("from")); err == nil {
		c.from = query.Get("from")
	}
	c.exchange, _ = strconv.ParseUint(query.Get("exchange"), 10, 64) // 0 if it is not a number
	return c
}

func (c chosen) values() url.Values {
	values := c.listed.values()
	chosen := map[string]string{"product": c.product, "option": c.option, "from": c.from, "slot": c.slot, "all": strings.Join(c.all, " ")}
	maps.Copy(chosen, c.found)
	for name, value := range chosen {
		if value != "" {
			values.Set(name, value)
		}
	}
	if c.exchange != 0 {
		values.Set("exchange", strconv.FormatUint(c.exchange, 10))
	}
	if c.judged {
		values.Set("judged", "yes")
	}
	if c.curl {
		values.Set("curl", "yes")
	}
	return values
}

func (c chosen) href() string { return "?" + c.values().Encode() }

// hiddenFields returns the selection without these names, as hidden fields that keep it.
func (c chosen) hiddenFields(names ...string) (others []choice) {
	values := c.values()
	for _, name := range slices.Sorted(maps.Keys(values)) {
		if !slices.Contains(names, name) {
			others = append(others, choice{Value: values.Get(name), Label: name})
		}
	}
	return others
}

func (c chosen) withSlot(id string) chosen {
	c.slot = id
	return c
}

func (c chosen) withExchange(number uint64) chosen {
	c.exchange = number
	return c
}

func (c chosen) withFrom(date time.Time) chosen {
	c.from, c.slot = date.Format(partnerapi.DateLayout), ""
	return c
}

// span renders a duration, to the second: 12:05, 3:00:00, 4 days 2 h.
func span(d time.Duration) string {
	d = max(d.Round(time.Second), 0)
	days, hours := int(d/(24*time.Hour)), int(d/time.Hour)%24
	minutes, seconds := int(d/time.Minute)%60, int(d/time.Second)%60
	switch {
	case days > 0:
		return fmt.Sprintf("%s %d h", plural.Count(days, "day"), hours)
	case hours > 0:
		return fmt.Sprintf("%d:%02d:%02d", hours, minutes, seconds)
	default:
		return fmt.Sprintf("%d:%02d", minutes, seconds)
	}
}

func durationWords(d time.Duration) string {
	switch {
	case d < 10*time.Millisecond:
		return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
	case d < time.Second:
		return fmt.Sprintf("%d ms", d.Milliseconds())
	default:
		return fmt.Sprintf("%.2f s", d.Seconds())
	}
}

func newestMatching[T any](all []T, n int, keep func(T) bool) []T {
	some := []T{}
	for _, one := range slices.Backward(all) {
		if len(some) == n {
			break
		}
		if keep(one) {
			some = append(some, one)
		}
	}
	return some
}

func matchAll[T any](T) bool { return true }
