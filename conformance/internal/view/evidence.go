package view

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/go-json-experiment/json/jsontext"

	"partnerkit.dev/conformance/internal/discover"
	"partnerkit.dev/conformance/report"
)

const (
	maxBody  = 32 << 10 // maximum bytes shown of a body, a header or a curl command
	maxDepth = 64       // a body nested deeper is shown as received, because indenting it would take quadratic space
)

type ruleView struct {
	report.RuleResult
	Words     []linkedText // the message, with links to the rules in it
	Covered   []coveredView
	Exchanges []exchangeView
}

// Places returns the problems that the message does not state already.
func (v ruleView) Places() []string {
	return slices.DeleteFunc(slices.Clone(v.Problems), func(problem string) bool { return strings.HasPrefix(v.Message, problem) })
}

// linkedText is a piece of a message. Rule is the id that it links to, or empty.
type linkedText struct {
	Text string
	Rule string
}

type exchangeView struct {
	report.Exchange
	Answer          string
	After           time.Duration // since the start of the run
	RequestHeaders  string
	RequestBody     bodyView
	Proto           string // of the response
	StatusWrong     bool   // the rule's message is about the status
	ResponseHeaders string
	ResponseBody    bodyView
}

type bodyView struct {
	Text    string
	Note    string // its size, and how much of it is shown
	Excerpt markedText
}

func ruleViews(r *report.Result) []ruleView {
	known := make(map[string]bool, len(r.Rules))
	for _, rule := range r.Rules {
		known[rule.ID] = true
	}
	views := make([]ruleView, len(r.Rules))
	for i, rule := range r.Rules {
		v := ruleView{RuleResult: rule, Covered: coveredViews(r.Coverage.Rules[rule.ID]), Words: linkRules(shorten(rule.Message, maxText), known)}
		for _, x := range rule.Exchanges {
			v.Exchanges = append(v.Exchanges, newExchangeView(x, rule.Message, r.StartedAt))
		}
		views[i] = v
	}
	return views
}

// answerView is an answer beside another one.
type answerView struct {
	Number  int
	Purpose string
	Lines   []answerLine // the status, and the body
}

type answerLine struct {
	Text    string
	Differs bool // the other answer lacks it
}

// Pair returns the last two answers of an endpoint to the same request, if they differ. It returns
// nil if there are none, or if an answer is too long to be compared.
func (v ruleView) Pair() []answerView {
	for i := len(v.Exchanges) - 1; i > 0; i-- {
		later := v.Exchanges[i]
		for _, earlier := range slices.Backward(v.Exchanges[:i]) {
			if pair := compareAnswers(earlier, later); pair != nil {
				return pair
			}
		}
	}
	return nil
}

func compareAnswers(a, b exchangeView) []answerView {
	same := a.Request.Method == b.Request.Method && a.Request.URL == b.Request.URL && a.RequestBody.Text == b.RequestBody.Text
	if !same || a.Response == nil || b.Response == nil || a.Response.Body.Cut || b.Response.Body.Cut ||
		a.Answer == b.Answer && a.ResponseBody.Text == b.ResponseBody.Text {
		return nil
	}
	pair := []answerView{newAnswerView(a), newAnswerView(b)}
	for i := range pair {
		others := map[string]int{}
		for _, line := range pair[1-i].Lines {
			others[line.Text]++
		}
		for n, line := range pair[i].Lines {
			pair[i].Lines[n].Differs = others[line.Text] == 0
			others[line.Text]--
		}
	}
	return pair
}

func newAnswerView(x exchangeView) answerView {
	view := answerView{Number: x.Number, Purpose: x.Purpose, Lines: []answerLine{{Text: x.Answer}}}
	for line := range strings.SplitSeq(x.ResponseBody.Text, "\n") {
		view.Lines = append(view.Lines, answerLine{Text: line})
	}
	return view
}

// idLike matches what may be the id of a rule.
var idLike = regexp.MustCompile(`[0-9a-z.-]+`)

// linkRules splits a message at the rule ids in it: the message of a blocked rule names its cause.
func linkRules(message string, known map[string]bool) []linkedText {
	var all []linkedText
	rest := 0
	for _, at := range idLike.FindAllStringIndex(message, -1) {
		if id := strings.TrimRight(message[at[0]:at[1]], ".-"); known[id] {
			all = append(all, linkedText{Text: message[rest:at[0]]}, linkedText{Text: id, Rule: id})
			rest = at[0] + len(id)
		}
	}
	return append(all, linkedText{Text: message[rest:]})
}

func newExchangeView(x report.Exchange, message string, began time.Time) exchangeView {
	v := exchangeView{
		Exchange:       x,
		Answer:         shorten(answer(x), maxText),
		After:          x.StartedAt.Sub(began),
		RequestHeaders: headerLines(x.Request.Header),
		RequestBody:    newBodyView(x.Request.Body),
	}
	v.Request.Method, v.Request.URL = shorten(x.Request.Method, maxText), shorten(x.Request.URL, maxText)
	v.Curl = shorten(x.Curl, maxBody)
	if x.Response != nil {
		v.StatusWrong = strings.Contains(message, fmt.Sprintf("received %d", x.Response.Status))
		v.Proto = shorten(x.Response.Proto, maxText)
		v.ResponseHeaders = headerLines(x.Response.Header)
		v.ResponseBody = newBodyView(x.Response.Body)
	}
	return v
}

func headerLines(h http.Header) string {
	var b strings.Builder
	for _, name := range slices.Sorted(maps.Keys(h)) {
		for _, value := range h[name] {
			fmt.Fprintf(&b, "%s: %s\n", name, shorten(value, maxText))
		}
	}
	return shorten(b.String(), maxBody)
}

func newBodyView(b report.Body) bodyView {
	v := bodyView{Text: b.Text, Note: size(b.Size), Excerpt: mark(shorten(b.Excerpt, maxBody), b.Place)}
	if pretty, ok := indent(b.Text); ok && !b.Cut {
		v.Text = pretty
	}
	if len(v.Text) > maxBody {
		v.Text, b.Cut = v.Text[:maxBody], true
	}
	if b.Cut {
		v.Note += ", the beginning is shown"
	}
	return v
}

func indent(text string) (string, bool) {
	if !json.Valid([]byte(text)) || discover.Depth([]byte(text)) > maxDepth {
		return "", false
	}
	var out bytes.Buffer
	err := json.Indent(&out, []byte(text), "", "  ")
	return out.String(), err == nil
}

// markedText is a text with a part of it marked.
type markedText struct {
	Before, Marked, After string
	Missing               string // the name of what the text lacks but should have
}

func (m markedText) IsEmpty() bool { return m.Before == "" && m.Marked == "" && m.After == "" }

// mark marks the value at a place of a JSON text, a JSON pointer. It includes the name of a member.
func mark(text, place string) markedText {
	if place == "" {
		return markedText{Before: text}
	}
	from, to, found := find(text, place)
	if !found {
		return markedText{Before: text, Missing: jsontext.Pointer(place).LastToken()}
	}
	return markedText{Before: text[:from], Marked: text[from:to], After: text[to:]}
}

func find(text, place string) (from, to int, found bool) {
	dec := jsontext.NewDecoder(strings.NewReader(text), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		before := int(dec.InputOffset())
		token, err := dec.ReadToken()
		if err != nil {
			return 0, 0, false
		}
		if string(dec.StackPointer()) != place {
			continue
		}
		from = before + len(text[before:]) - len(strings.TrimLeft(text[before:], ", \t\r\n"))
		switch kind := token.Kind(); {
		case kind == '{' || kind == '[':
			err = leave(dec)
		case isName(dec):
			err = dec.SkipValue()
		}
		return from, int(dec.InputOffset()), err == nil
	}
}

func isName(dec *jsontext.Decoder) bool {
	kind, length := dec.StackIndex(dec.StackDepth())
	return kind == '{' && length%2 == 1
}

func leave(dec *jsontext.Decoder) error {
	for within := dec.StackDepth(); dec.StackDepth() >= within; {
		if _, err := dec.ReadToken(); err != nil {
			return err
		}
	}
	return nil
}
