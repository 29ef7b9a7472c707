package api

import (
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/google/uuid"
	"github.com/gorilla/mux"
	"github.com/shopspring/decimal"

	"partnerkit.dev/marketplace/internal/booking"
	"partnerkit.dev/marketplace/internal/domain"
	"partnerkit.dev/schemas/partnerapi"
)

// query reads the parameters of a request and collects their mistakes.
type query struct {
	given []parameter
	wrong []string
	usual [12]parameter // the memory of given for a usual query, because a map would cost more than all the reading
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
			return &query{wrong: []string{"the query cannot be read: expected name=value, joined by &, and percent signs escaped"}}
		}
		q.given = append(q.given, parameter{name, value})
	}
	return q
}

// refuse records a mistake of a parameter.
func (q *query) refuse(name, wanted string) { q.wrong = append(q.wrong, name+": "+wanted) }

// one returns the parameter's value and whether it was given.
func (q *query) one(name string) (value string, given bool) {
	for _, p := range q.given {
		if p.name != name {
			continue
		}
		if given {
			q.refuse(name, "expected one value")
			return value, true
		}
		value, given = p.value, true
	}
	return value, given
}

// text returns a text of at most that many characters, or "" if it is absent.
func (q *query) text(name string, most int) string {
	text, _ := q.one(name)
	switch {
	case !utf8.ValidString(text) || strings.ContainsFunc(text, unicode.IsControl):
		q.refuse(name, "expected UTF-8 without control characters")
	case utf8.RuneCountInString(text) > most:
		q.refuse(name, fmt.Sprintf("expected at most %d letters", most))
	default:
		return text
	}
	return ""
}

// number returns an integer from 1 to most, or unset if it is absent.
func (q *query) number(name string, unset, most int) int {
	text, given := q.one(name)
	if !given {
		return unset
	}
	number, err := strconv.Atoi(text)
	if err != nil || number < 1 || number > most {
		q.refuse(name, fmt.Sprintf("expected a whole number from 1 to %d", most))
		return unset
	}
	return number
}

// validated returns a text that satisfies a `validate` rule, or "" if it is absent.
func (q *query) validated(name, rule string) string {
	text, given := q.one(name)
	if !given {
		return ""
	}
	if wanted := domain.CheckText(text, rule); wanted != "" {
		q.refuse(name, wanted)
		return ""
	}
	return text
}

// mode returns a mode to filter by, for operators and partners, or "" if it is absent.
func (q *query) mode() domain.Mode {
	return domain.Mode(q.validated("mode", "oneof=live test"))
}

// date returns a required date.
func (q *query) date(name string) time.Time {
	text, given := q.one(name)
	if !given {
		q.refuse(name, "is required")
		return time.Time{}
	}
	date, err := time.Parse(time.DateOnly, text)
	if err != nil {
		q.refuse(name, "expected a date such as 2026-07-01")
	}
	return date
}

// optionalDate returns a date, or zero if it is absent.
func (q *query) optionalDate(name string) time.Time {
	if _, given := q.one(name); !given {
		return time.Time{}
	}
	return q.date(name)
}

var amount = regexp.MustCompile(`^[0-9]{1,18}(\.[0-9]{1,18})?$`)

// price returns an amount in the query's currency, as a decimal in its shortest form, or "" if it is
// absent.
func (q *query) price(name string) string {
	text, given := q.one(name)
	if !given {
		return ""
	}
	if !amount.MatchString(text) {
		q.refuse(name, "expected an amount such as 25.50")
		return ""
	}
	if _, given := q.one("currency"); !given {
		q.refuse(name, "requires currency")
	}
	return decimal.RequireFromString(text).String()
}

// id returns an id, or zero if it is absent.
func (q *query) id(name string) uuid.UUID {
	if text := q.validated(name, "uuid"); text != "" {
		return uuid.MustParse(text)
	}
	return uuid.Nil
}

// period returns the range between the parameters with _from and _to, both inclusive. They are
// dates in UTC or times.
func (q *query) period(name string) (p booking.Period) {
	p.From, _ = q.moment(name + "_from")
	to, day := q.moment(name + "_to")
	if p.To = to; day {
		p.To = to.AddDate(0, 0, 1).Add(-time.Microsecond) // the last moment with the database's precision
	}
	if !p.To.IsZero() && p.To.Before(p.From) {
		q.refuse(name+"_to", "expected "+name+"_from, or later")
	}
	return p
}

// moment returns a date or a date-time, or zero if it is absent. An unescaped plus sign has become
// a space.
func (q *query) moment(name string) (at time.Time, day bool) {
	text, given := q.one(name)
	if !given {
		return at, false
	}
	at, err := time.Parse(time.DateOnly, text)
	if err == nil {
		return at, true
	}
	if at, err = partnerapi.ParseDateTime(strings.ReplaceAll(text, " ", "+")); err != nil || at.Year() < 1 {
		q.refuse(name, "expected a date such as 2026-07-01, or a date and time such as 2026-07-01T09:30:00+01:00")
		return time.Time{}, false
	}
	return at, false
}

// check returns all mistakes as Invalid.
func (q *query) check() error {
	if len(q.wrong) == 0 {
		return nil
	}
	return &domain.Error{Code: domain.Invalid, Message: "invalid query", Details: q.wrong}
}

// currency returns the currency for prices; "" means the activity's own.
func (q *query) currency() domain.Currency {
	return domain.Currency(q.validated("currency", "iso4217"))
}

// languageRange matches basic language ranges (RFC 4647, 2.1). A language need not be known: lookup
// then finds nothing.
var languageRange = regexp.MustCompile(`^[A-Za-z]{1,8}(-[A-Za-z0-9]{1,8})*$`)

// language returns the language for texts; "" means the activity's own.
func (q *query) language() string {
	text, given := q.one("language")
	if given && !languageRange.MatchString(text) {
		q.refuse("language", "expected a language such as en or pt-BR")
		return ""
	}
	return text
}

// isID reports whether a text is an id in the canonical form.
func isID(text string) bool { return len(text) == 36 && uuid.Validate(text) == nil }

// pathID returns an id from the path. An invalid id is NotFound.
func pathID(r *http.Request, name string) (uuid.UUID, error) {
	text := mux.Vars(r)[name]
	id, err := uuid.Parse(text)
	if err != nil || !isID(text) {
		return uuid.UUID{}, &domain.Error{Code: domain.NotFound, Message: name + " not found"}
	}
	return id, nil
}
