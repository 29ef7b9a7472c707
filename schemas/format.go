package schemas

import (
	_ "embed"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"time"
	_ "time/tzdata" // zones are loaded on machines without a zone database

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
		"iana-time-zone": parses(LoadZone),
		"iso4217":        tagged("iso4217"),
	}
}

// zonesFile has the names of the zone database that Go embeds. The machine's own database may know others, such as
// localtime and posix/Europe/Lisbon, which name another zone, or none, elsewhere.
//
//go:embed zones.txt
var zonesFile string

var zones = sync.OnceValue(func() map[string]bool {
	known := map[string]bool{}
	for name := range strings.Lines(zonesFile) {
		known[strings.TrimSpace(name)] = true
	}
	return known
})

// LoadZone returns the time zone with that IANA name. It accepts the same names on every machine.
func LoadZone(name string) (*time.Location, error) {
	if !zones()[name] {
		return nil, fmt.Errorf("%.60q is not the IANA name of a time zone", name)
	}
	return time.LoadLocation(name)
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
