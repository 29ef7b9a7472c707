package probe

import (
	"net/http"
	"slices"
	"strings"
	"unicode"

	"partnerkit.dev/schemas/partnerapi"
)

// Key is the key that a call presents.
type Key int

// The keys.
const (
	GoodKey  Key = iota // the registered key
	WrongKey            // a key that has nothing in common with it
	NoKey               // no Authorization header

	// Keys that are similar to the registered one; none is the partner's (AUTH-2).
	ShorterKey
	LongerKey
	BeginningOfKey
	EndOfKey
	OtherFirst
	OtherMiddle
	OtherLast
	OtherCase
	MoreBefore
	QuotedKey
	OtherScheme
	EmptyKey
	SchemeAlone // bearer only
	OtherHeader // the key in a header other than Authorization
)

// KeyVariable is the environment variable from which the command reads the key. It also stands for
// the key in curl commands.
const KeyVariable = "CONFORMANCE_AUTH_KEY"

// wrongKey is the key that WrongKey presents.
const wrongKey = "conformance-suite-wrong-key"

const bearer = "Bearer"

// otherHeader is the header that OtherHeader uses.
const otherHeader = "X-Api-Key"

// nearKey is how a similar key is derived from the registered one.
type nearKey struct {
	name  string
	of    func(key []rune) string // "": Authorization has no key
	shell string                  // the same as a shell expression of $KEY
}

var near = map[Key]nearKey{
	ShorterKey:     {"the key without its last character", func(k []rune) string { return string(k[:len(k)-1]) }, "${KEY%?}"},
	LongerKey:      {"the key followed by an extra character", func(k []rune) string { return string(k) + "x" }, "${KEY}x"},
	MoreBefore:     {"the key preceded by an extra character", func(k []rune) string { return "x" + string(k) }, "x$KEY"},
	BeginningOfKey: {"the first half of the key", func(k []rune) string { return string(k[:len(k)/2]) }, "$(printf %.$((${#KEY} / 2))s \"$KEY\")"},
	EndOfKey:       {"the key without its first character", func(k []rune) string { return string(k[1:]) }, "${KEY#?}"},
	OtherFirst:     {"the key with a different first character", func(k []rune) string { return replaceAt(k, 0) }, "~${KEY#?}"},
	OtherMiddle:    {"the key with a different character in the middle", func(k []rune) string { return replaceAt(k, len(k)/2) }, ""},
	OtherLast:      {"the key with a different last character", func(k []rune) string { return replaceAt(k, len(k)-1) }, "${KEY%?}~"},
	OtherCase:      {"the key with upper and lower case swapped", swapCase, "$(printf %s \"$KEY\" | tr a-zA-Z A-Za-z)"},
	QuotedKey:      {"the key in quotes", func(k []rune) string { return `"` + string(k) + `"` }, `\"$KEY\"`},
	OtherScheme:    {"the key in another scheme, Basic", func(k []rune) string { return string(k) }, "$KEY"},
	EmptyKey:       {"an empty Authorization header", nil, ""},
	SchemeAlone:    {"Bearer without a key", nil, ""},
	OtherHeader:    {"the key in " + otherHeader + ", without Authorization", nil, ""},
}

func replaceAt(key []rune, at int) string {
	changed := slices.Clone(key)
	if changed[at] = '~'; key[at] == '~' {
		changed[at] = '-'
	}
	return string(changed)
}

func swapCase(key []rune) string {
	return strings.Map(func(r rune) rune {
		if r > unicode.MaxASCII {
			return r
		}
		if unicode.IsUpper(r) {
			return unicode.ToLower(r)
		}
		return unicode.ToUpper(r)
	}, string(key))
}

// nearKeys returns the similar keys that differ from the given key and can be derived from it.
func nearKeys(auth partnerapi.AuthType, key string) (keys []Key) {
	for k := ShorterKey; k <= OtherHeader; k++ {
		switch made := k.nearKey(key); {
		case k == SchemeAlone && auth == partnerapi.APIKey:
		case near[k].of != nil && k != OtherScheme && (made == "" || made == key || strings.TrimSpace(made) != made):
		default:
			keys = append(keys, k)
		}
	}
	return keys
}

// nearKey returns a key that is similar to the registered one, or "" if no such key exists.
func (k Key) nearKey(key string) string {
	if make := near[k].of; make != nil && key != "" {
		return make([]rune(key))
	}
	return ""
}

func (k Key) String() string {
	switch k {
	case GoodKey:
		return "the key"
	case WrongKey:
		return "a wrong key"
	case NoKey:
		return "no key"
	default:
		return near[k].name
	}
}

// IsMissing reports whether the Authorization header is absent. An empty header counts as a wrong
// key.
func (k Key) IsMissing() bool { return k == NoKey || k == OtherHeader }

func (k Key) present(header http.Header, auth partnerapi.AuthType, key string) {
	switch k {
	case NoKey:
	case OtherHeader:
		header.Set(otherHeader, key)
	case EmptyKey:
		header.Set("Authorization", "")
	case SchemeAlone:
		header.Set("Authorization", bearer)
	case GoodKey:
		header.Set("Authorization", auth.Authorization(key))
	case WrongKey:
		header.Set("Authorization", auth.Authorization(wrongKey))
	default:
		header.Set("Authorization", k.authorization(auth, k.nearKey(key)))
	}
}

// authorization returns the header value of a key in the scheme that k uses.
func (k Key) authorization(auth partnerapi.AuthType, key string) string {
	if k == OtherScheme {
		return "Basic " + key
	}
	return auth.Authorization(key)
}

// inShell returns the shell expression that derives the key from the environment, or "" if there is
// none.
func (k Key) inShell() string {
	if k == GoodKey {
		return "$" + KeyVariable
	}
	return strings.ReplaceAll(near[k].shell, "KEY", KeyVariable)
}
