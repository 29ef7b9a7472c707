package api

import (
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/gorilla/mux"

	"partnerkit.dev/marketplace/internal/marketplace"
	"partnerkit.dev/marketplace/internal/storefront"
)

// query reads the parameters of a request, and collects what is wrong with them.
// Those that nobody asks for are ignored.
type query struct {
	given []parameter
	wrong []string
	usual [8]parameter // where given lies, unless there are more: a map would cost more than all else that is read
}

type parameter struct{ name, value string }

// readQuery reads a request's query.
func readQuery(r *http.Request) *query {
	q := &query{}
	q.given = q.usual[:0]
	for pair := range strings.SplitSeq(r.URL.RawQuery, "&") {
		if pair == "" {
			continue
		}
		name, value, _ := strings.Cut(pair, "=")
		name, badName := url.QueryUnescape(name)
		value, badValue := url.QueryUnescape(value)
		if badName != nil || badValue != nil || strings.Contains(pair, ";") {
			return &query{wrong: []string{"the query cannot be read: want name=value, joined by &, and percent signs escaped"}}
		}
		q.given = append(q.given, parameter{name, value})
	}
	return q
}

// refuse notes a mistake of a parameter.
func (q *query) refuse(name, wanted string) { q.wrong = append(q.wrong, name+": "+wanted) }

// one is the parameter's value, and whether it was given.
func (q *query) one(name string) (value string, given bool) {
	for _, p := range q.given {
		if p.name != name {
			continue
		}
		if given {
			q.refuse(name, "want it once")
			return value, true
		}
		value, given = p.value, true
	}
	return value, given
}

// text is a text of at most so many letters; "" where none was given.
func (q *query) text(name string, most int) string {
	text, _ := q.one(name)
	switch {
	case !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl):
		q.refuse(name, "want UTF-8 without control characters")
	case utf8.RuneCountInString(text) > most:
		q.refuse(name, fmt.Sprintf("want at most %d letters", most))
	default:
		return text
	}
	return ""
}

// number is a whole number of at least 1 and at most so much.
func (q *query) number(name string, unset, most int) int {
	text, given := q.one(name)
	if !given {
		return unset
	}
	number, err := strconv.Atoi(text)
	if err != nil || number < 1 || number > most {
		q.refuse(name, fmt.Sprintf("want a whole number from 1 to %d", most))
		return unset
	}
	return number
}

// tagged is a text that a `validate` rule finds good; "" where none was given.
func (q *query) tagged(name, rule string) string {
	text, given := q.one(name)
	if !given {
		return ""
	}
	if wanted := marketplace.CheckText(text, rule); wanted != "" {
		q.refuse(name, wanted)
		return ""
	}
	return text
}

// date is a date that must be given.
func (q *query) date(name string) time.Time {
	text, given := q.one(name)
	if !given {
		q.refuse(name, "it is missing")
		return time.Time{}
	}
	date, err := time.Parse(time.DateOnly, text)
	if err != nil {
		q.refuse(name, "want a date such as 2026-07-01")
	}
	return date
}

// check returns all that was wrong, as Invalid.
func (q *query) check() error {
	if len(q.wrong) == 0 {
		return nil
	}
	return &marketplace.Error{Code: marketplace.Invalid, Message: "the query is not as it should be", Details: q.wrong}
}

// currency is that in which prices are asked for; "" is the activity's own.
func (q *query) currency() marketplace.Currency {
	return marketplace.Currency(q.tagged("currency", "iso4217"))
}

// language is that in which texts are asked for; "" is the activity's own.
func (q *query) language() string { return q.tagged("language", "bcp47_strict_language_tag") }

// The size of a page: at most, and by default.
const (
	mostOnPage  = 100
	usualOnPage = 20
)

// mostPage bounds the number of a page: the place that it begins at is still one that
// PostgreSQL can count.
const mostPage = 1 << 31

// page is the part of a list that a caller asks for.
type page struct {
	number int // from 1
	size   int
}

// skip is how many lie before the page.
func (p page) skip() int64 { return int64(p.number-1) * int64(p.size) }

// of is that part of a list of so many entries.
func (p page) of(entries any, total int) listPage {
	return listPage{entries, storefront.Pagination{PageSize: p.size, Page: p.number, TotalCount: total}}
}

// page reads page and limit, which are read last, and returns all that was wrong with the
// query, as Invalid.
func (q *query) page() (page, error) {
	asked := page{number: q.number("page", 1, mostPage), size: q.number("limit", usualOnPage, mostOnPage)}
	return asked, q.check()
}

// isID reports whether a text is an id as answers write them.
func isID(text string) bool { return len(text) == 36 && uuid.Validate(text) == nil }

// pathID reads an id of the path. One of the wrong form is unknown: NotFound.
func pathID(r *http.Request, name string) (uuid.UUID, error) {
	text := mux.Vars(r)[name]
	id, err := uuid.Parse(text)
	if err != nil || !isID(text) {
		return uuid.UUID{}, &marketplace.Error{Code: marketplace.NotFound, Message: name + " not found"}
	}
	return id, nil
}
