package anonymize

import (
	"fmt"
	"strings"

	"partnerkit.dev/internal/redact"
)

const bearer = "Bearer"

// Pseudonyms replaces the keys of calls by names that distinguish them but do not reveal them.
type Pseudonyms struct {
	session string
	names   map[string]string
}

// NewPseudonyms returns pseudonyms for a session. The session's name must be unique.
func NewPseudonyms(session string) *Pseudonyms {
	return &Pseudonyms{session: session, names: map[string]string{}}
}

// mostPseudonyms is the maximum number of pseudonyms. Further keys share one name.
const mostPseudonyms = 1000

// Replace returns the replacement of an Authorization header.
func (p *Pseudonyms) Replace(authorization string) string {
	key, scheme := authorization, ""
	if rest, is := strings.CutPrefix(authorization, bearer+" "); is {
		key, scheme = rest, bearer+" "
	}
	name, has := p.names[key]
	switch {
	case key == "":
		return authorization
	case has:
	case len(p.names) == mostPseudonyms:
		name = redact.Mark
	default:
		name = fmt.Sprintf("%s-%s-%d", redact.Mark, p.session, len(p.names)+1)
		p.names[key] = name
	}
	return scheme + name
}
