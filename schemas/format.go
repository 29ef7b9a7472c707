package schemas

import (
	"net/url"
	"time"
	_ "time/tzdata" // zones are validated alike on machines without a zone database

	"github.com/go-playground/validator/v10"

	"partnerkit.dev/schemas/partnerapi"
)

// Formats returns the validators of the formats in the schemas, for use with another validator
// library. They accept values that are not strings, which "type" validates.
func Formats() map[string]func(any) bool {
	v := validator.New(validator.WithRequiredStructEnabled())
	tagged := func(tag string) func(any) bool {
		return ofString(func(s string) bool { return v.Var(s, tag) == nil })
	}
	return map[string]func(any) bool{
		"date-time":      parses(partnerapi.ParseDateTime),
		"date":           parses(parseDate),
		"uri":            ofString(isURI),
		"bcp47":          tagged("bcp47_strict_language_tag"),
		"iana-time-zone": tagged("timezone"),
		"iso4217":        tagged("iso4217"),
	}
}

func ofString(judge func(string) bool) func(any) bool {
	return func(value any) bool {
		s, ok := value.(string)
		return !ok || judge(s)
	}
}

// parses returns a validator that accepts what parse accepts.
func parses[T any](parse func(string) (T, error)) func(any) bool {
	return ofString(func(s string) bool {
		_, err := parse(s)
		return err == nil
	})
}

func parseDate(s string) (time.Time, error) { return time.Parse(partnerapi.DateLayout, s) }

func isURI(s string) bool {
	u, err := url.Parse(s)
	return err == nil && u.IsAbs()
}
