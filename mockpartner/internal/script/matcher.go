package script

import (
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"partnerkit.dev/mockpartner/internal/fault"
	"partnerkit.dev/mockpartner/internal/invalid"
	"partnerkit.dev/schemas/partnerapi"
)

// matcher is a Match that is compiled.
type matcher struct {
	Match
	path          *regexp.Regexp
	header, query map[string]*regexp.Regexp
	body          *fault.Program
}

// methods are those that HTTP defines for requests to a resource.
func methods() []string {
	return []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions}
}

func (m Match) compile() (compiled matcher, err error) {
	for _, err := range []error{
		invalid.OneOf("match.endpoint", m.Endpoint, partnerapi.Endpoints()),
		invalid.OneOf("match.method", m.Method, methods()),
		invalid.OneOf("match.credential", m.Credential, credentials()),
		invalid.OneOf("match.state.slot", m.State.Slot, slotStates()),
		invalid.OneOf("match.state.hold", m.State.Hold, holdStates()),
		invalid.OneOf("match.state.booking", m.State.Booking, bookingStates()),
	} {
		if err != nil {
			return compiled, err
		}
	}
	compiled = matcher{Match: m, header: globs(m.Header), query: globs(m.Query)}
	if m.Path != "" {
		compiled.path = glob(m.Path, `[^/]*`)
	}
	if m.NoBody && m.Body != "" {
		return compiled, invalid.At("match.no_body", "want body or no_body, not both")
	}
	if m.Body != "" {
		compiled.body, err = fault.CompileJQ("match.body", m.Body)
	}
	return compiled, err
}

func globs(patterns map[string]string) map[string]*regexp.Regexp {
	compiled := map[string]*regexp.Regexp{}
	for name, pattern := range patterns {
		compiled[name] = glob(pattern, `.*`)
	}
	return compiled
}

// glob compiles a pattern in which * stands for star, and ** for anything.
func glob(pattern, star string) *regexp.Regexp {
	quoted := regexp.QuoteMeta(pattern)
	quoted = strings.ReplaceAll(quoted, `\*\*`, `.*`)
	return regexp.MustCompile(`(?s)^(?:` + strings.ReplaceAll(quoted, `\*`, star) + `)$`)
}

// fits reports whether the request is one that the fault applies to. Its error
// is that of a predicate that cannot be decided: it does not match.
func (m matcher) fits(s *subject) (bool, error) {
	switch {
	case m.Endpoint != "" && m.Endpoint != s.endpoint,
		m.Method != "" && m.Method != s.request.Method,
		m.path != nil && !m.path.MatchString(s.request.URL.EscapedPath()),
		!each(m.header, s.request.Header.Values),
		!each(m.query, func(name string) []string { return s.query()[name] }),
		m.NoBody && len(s.body) > 0,
		m.Credential != "" && m.Credential != s.credential(),
		m.Product != "" && !s.ofProduct(m.Product), m.Option != "" && !s.ofOption(m.Option),
		!is(m.State.Slot, s.slotState), !is(m.State.Hold, s.holdState), !is(m.State.Booking, s.bookingState):
		return false, nil
	case m.body == nil:
		return true, nil
	}
	body, ok := s.json()
	if !ok {
		return false, nil
	}
	return m.body.Holds(s.request.Context(), body, s.variables(0))
}

func is(wanted string, state func() string) bool { return wanted == "" || wanted == state() }

// each reports whether each pattern fits one of the values of its name.
func each(patterns map[string]*regexp.Regexp, values func(name string) []string) bool {
	for name, pattern := range patterns {
		if !slices.ContainsFunc(values(name), pattern.MatchString) {
			return false
		}
	}
	return true
}

func queryOf(u *url.URL) url.Values {
	values, _ := url.ParseQuery(u.RawQuery) // what cannot be read matches nothing
	return values
}
