package script

import (
	"net/http"
	"regexp"
	"slices"
	"strings"

	"partnerkit.dev/mockpartner/client"
	"partnerkit.dev/mockpartner/internal/fault"
	"partnerkit.dev/mockpartner/internal/invalid"
	"partnerkit.dev/mockpartner/internal/jq"
	"partnerkit.dev/schemas/partnerapi"
)

// Match selects the requests to which a fault applies. A request must match every field; empty
// fields match everything.
type Match struct {
	Endpoint partnerapi.Endpoint `yaml:"endpoint" json:"endpoint,omitempty"`
	Method   string              `yaml:"method" json:"method,omitempty"`
	// Path is a pattern for the escaped path below the sandbox: * matches anything within a
	// segment, ** matches anything.
	Path string `yaml:"path" json:"path,omitempty"`
	// Header and Query are patterns for values, by name: * matches anything. One of the values has
	// to match.
	Header map[string]string `yaml:"header" json:"header,omitempty"`
	Query  map[string]string `yaml:"query" json:"query,omitempty"`
	// Body is a jq predicate on the JSON body, such as .units | length > 1.
	Body string `yaml:"body" json:"body,omitempty"`
	// NoBody matches requests without a body.
	NoBody bool `yaml:"no_body" json:"no_body,omitempty"`
	// Product and Option are the ids that the request concerns, or first or last: of the catalog's
	// products, or of the product's options.
	Product string `yaml:"product" json:"product,omitempty"`
	Option  string `yaml:"option" json:"option,omitempty"`
	// Credential is what the caller presents.
	Credential Credential `yaml:"credential" json:"credential,omitempty"`
	// If is a jq predicate on all properties of the request; see the module's README.
	If string `yaml:"if" json:"if,omitempty"`
	// State is the state when the request arrives.
	State State `yaml:"state" json:"state,omitzero"`
}

// Credential is what a caller presents in place of the key.
type Credential string

// The credentials.
const (
	CredentialGood    Credential = "good"
	CredentialWrong   Credential = "wrong" // another key, or the key in another form
	CredentialMissing Credential = "missing"

	// These are wrong keys that faulty partners accept. A key can be of several kinds.
	CredentialOtherCase   Credential = "other-case"   // the key with other upper and lower case
	CredentialShorter     Credential = "shorter"      // a prefix of the key
	CredentialLonger      Credential = "longer"       // the key with more text after it
	CredentialPart        Credential = "part"         // any substring of the key, even an empty one
	CredentialSameStart   Credential = "same-start"   // the first four characters are equal
	CredentialSameEnd     Credential = "same-end"     // the last four characters are equal
	CredentialSameLength  Credential = "same-length"  // as long as the key
	CredentialPadded      Credential = "padded"       // the key with spaces or quotes around it
	CredentialOtherScheme Credential = "other-scheme" // the key with another scheme, or without one
	CredentialSchemeCase  Credential = "scheme-case"  // the key with the scheme in other case, such as BEARER
	CredentialEmpty       Credential = "empty"        // a scheme, or nothing, and no key
)

func credentials() []Credential {
	return []Credential{
		CredentialGood, CredentialWrong, CredentialMissing, CredentialOtherCase, CredentialShorter, CredentialLonger, CredentialPart,
		CredentialSameStart, CredentialSameEnd, CredentialSameLength, CredentialPadded, CredentialOtherScheme, CredentialSchemeCase, CredentialEmpty,
	}
}

// State is the state of the slot, hold and booking that a request concerns. A request without such
// an object does not match.
type State struct {
	Slot    string `yaml:"slot" json:"slot,omitempty"`       // a slot status (AVL-9), or unknown
	Hold    string `yaml:"hold" json:"hold,omitempty"`       // held, confirmed, released, expired or unknown
	Booking string `yaml:"booking" json:"booking,omitempty"` // confirmed, cancelled or unknown
}

const unknown = "unknown"

// orUnknown returns unknown and the states in lower case.
func orUnknown[S ~string](states ...S) []string {
	words := []string{unknown}
	for _, state := range states {
		words = append(words, strings.ToLower(string(state)))
	}
	return words
}

type matcher struct {
	Match
	path          *regexp.Regexp
	header, query map[string]*regexp.Regexp
	body, about   *jq.Program // nil matches everything
}

// methods lists those that HTTP defines for requests to a resource.
func methods() []string {
	return []string{http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions}
}

func (m Match) compile() (compiled matcher, err error) {
	if err := invalid.First(
		invalid.OneOf("match.endpoint", m.Endpoint, partnerapi.Endpoints()),
		invalid.OneOf("match.method", m.Method, methods()),
		invalid.OneOf("match.credential", m.Credential, credentials()),
		invalid.OneOf("match.state.slot", partnerapi.SlotStatus(m.State.Slot), append([]partnerapi.SlotStatus{unknown}, partnerapi.SlotStatuses()...)),
		invalid.OneOf("match.state.hold", m.State.Hold, orUnknown(client.Held, client.Confirmed, client.Released, client.Expired)),
		invalid.OneOf("match.state.booking", m.State.Booking, orUnknown(client.Booked, client.Cancelled)),
	); err != nil {
		return compiled, err
	}
	compiled = matcher{Match: m, header: globs(m.Header), query: globs(m.Query)}
	if m.Path != "" {
		compiled.path = glob(m.Path, `[^/]*`)
	}
	if m.NoBody && m.Body != "" {
		return compiled, invalid.ErrorAt("match.no_body", "expected body or no_body, not both")
	}
	if m.Body != "" {
		if compiled.body, err = jq.Compile("match.body", m.Body, fault.Variables()...); err != nil {
			return compiled, err
		}
	}
	if m.If != "" {
		compiled.about, err = jq.Compile("match.if", m.If)
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

// glob compiles a pattern in which * means the expression star, and ** means anything.
func glob(pattern, star string) *regexp.Regexp {
	quoted := regexp.QuoteMeta(pattern)
	quoted = strings.ReplaceAll(quoted, `\*\*`, `.*`)
	return regexp.MustCompile(`(?s)^(?:` + strings.ReplaceAll(quoted, `\*`, star) + `)$`)
}

// fits reports whether the fault applies to the request. The error is that of a predicate that
// failed; the request does not match then.
func (m matcher) fits(s *subject) (bool, error) {
	switch {
	case m.Endpoint != "" && m.Endpoint != s.Endpoint,
		m.Method != "" && m.Method != s.request.Method,
		m.path != nil && !m.path.MatchString(s.request.URL.EscapedPath()),
		!matchEach(m.header, s.request.Header.Values),
		!matchEach(m.query, func(name string) []string { return s.query()[name] }),
		m.NoBody && len(s.body) > 0,
		m.Credential != "" && !s.bears(m.Credential),
		m.Product != "" && !s.ofProduct(m.Product), m.Option != "" && !s.ofOption(m.Option),
		!is(m.State.Slot, s.slotState), !is(m.State.Hold, s.holdState), !is(m.State.Booking, s.bookingState):
		return false, nil
	}
	if m.body != nil {
		body, ok := s.json()
		if !ok {
			return false, nil
		}
		if holds, err := m.body.Holds(s.request.Context(), body, s.variables(0)...); err != nil || !holds {
			return false, err
		}
	}
	if m.about == nil {
		return true, nil
	}
	return m.about.Holds(s.request.Context(), s.describeRequest())
}

func is(wanted string, state func() string) bool { return wanted == "" || wanted == state() }

// matchEach reports whether every pattern matches one of the values of its name.
func matchEach(patterns map[string]*regexp.Regexp, values func(name string) []string) bool {
	for name, pattern := range patterns {
		if !slices.ContainsFunc(values(name), pattern.MatchString) {
			return false
		}
	}
	return true
}
