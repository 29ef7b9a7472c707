package anonymize

import (
	"bytes"
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"partnerkit.dev/internal/redact"
)

const (
	// mostValues is the maximum number of values that are remembered for a code or id, and searched for in
	// other encodings.
	mostValues = 20
	// longestValue is the longest such value, in bytes. Answers do not repeat longer ones.
	longestValue = 200
)

// customers is the customers' data in the bodies of one call.
type customers struct {
	values  []string
	others  []string          // of these values: the addresses of other customers than the one of the call
	plain   *strings.Replacer // masks them; nil: not made yet
	encoded *redact.Redactor  // finds them in other encodings
}

// personal lists the names of fields with customers' data.
var personal = []string{
	"contact", "fullname", "firstname", "lastname", "emailaddress", "email", "phonenumber", "phone", "notes",
}

func isPersonal(name string) bool { return slices.Contains(personal, strings.ToLower(name)) }

// mail matches an email address, which an answer may repeat from another call.
var mail = regexp.MustCompile(`[^\s"'<>@,;:()]+@[^\s"'<>@,;:()]+\.[^\s"'<>@,;:()]+`)

// read decodes a body and collects its customers' data.
func (c *customers) read(raw []byte) (value any, fine bool) {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	if !json.Valid(raw) || decoder.Decode(&value) != nil {
		return nil, false
	}
	c.collect(value, "")
	return value, true
}

// removed returns a JSON body without the customers' data, including data that an answer repeats in
// a sentence. Other bodies are returned unchanged.
func (c *customers) removed(raw []byte, value any, fine bool) []byte {
	if !fine || len(c.values) == 0 && !mail.Match(raw) {
		return raw
	}
	text, err := json.Marshal(c.cleanValue(value, false, false))
	if err != nil {
		return raw
	}
	return text
}

func (c *customers) collect(value any, name string) {
	switch value := value.(type) {
	case map[string]any:
		for within, child := range value {
			if isPersonal(name) {
				within = name
			}
			c.collect(child, within)
		}
	case []any:
		for _, item := range value {
			c.collect(item, name)
		}
	case string:
		if len(value) > 2 && isPersonal(name) {
			c.values = append(c.values, value)
		}
	}
}

// cleanValue returns a value without the customers' data. With mask, personal values are masked
// completely.
func (c *customers) cleanValue(value any, mask, personal bool) any {
	switch value := value.(type) {
	case map[string]any:
		for name, child := range value {
			value[name] = c.cleanValue(child, mask, mask && (personal || isPersonal(name)))
		}
	case []any:
		for i, item := range value {
			value[i] = c.cleanValue(item, mask, personal)
		}
	case json.Number:
		if personal {
			return json.Number("0")
		}
	case string:
		if personal {
			return c.maskOf(value)
		}
		return c.removeFrom(value)
	}
	return value
}

// another is added to the mask of an address that is not of the call's own customer, because a rule judges these.
const another = " of another"

// markStrangers notes the addresses that are not among the call's own values. Without an own address, none is known to be
// another's.
func (c *customers) markStrangers(own []string) {
	if !slices.ContainsFunc(own, mail.MatchString) {
		return
	}
	for _, value := range c.values {
		isOwn := func(known string) bool { return strings.EqualFold(strings.TrimSpace(known), strings.TrimSpace(value)) }
		if mail.MatchString(value) && !slices.ContainsFunc(own, isOwn) {
			c.others = append(c.others, value)
		}
	}
}

// mark returns what stands in place of a value.
func (c *customers) mark(value string) string {
	if slices.Contains(c.others, value) {
		return redact.Mark + another
	}
	return redact.Mark
}

// maskOf returns the mask of a text. It is of the same kind, as far as rules judge it.
func (c *customers) maskOf(text string) string {
	switch {
	case text == "":
		return ""
	case strings.ContainsFunc(text, func(r rune) bool { return r > unicode.MaxASCII }):
		return c.mark(text) + maskedLetter
	}
	return c.mark(text)
}

// removeFrom returns a text without the customers' values, in any encoding.
func (c *customers) removeFrom(text string) string {
	if len(c.values) > 0 && c.plain == nil {
		c.prepare()
	}
	if c.plain != nil {
		text = c.encoded.Redact(c.plain.Replace(text))
	}
	if strings.Contains(text, "@") { // matching takes long
		text = mail.ReplaceAllString(text, redact.Mark)
	}
	return text
}

// prepare makes what masks the values. The longest come first, so that no part of a name is left when
// another field has only its beginning.
func (c *customers) prepare() {
	sorted := slices.Compact(slices.SortedFunc(slices.Values(c.values), func(a, b string) int {
		return cmp.Or(len(b)-len(a), strings.Compare(a, b))
	}))
	var pairs []string
	for _, value := range sorted {
		pairs = append(pairs, value, c.mark(value))
	}
	c.plain = strings.NewReplacer(pairs...)
	c.encoded = redact.New(slices.DeleteFunc(sorted[:min(len(sorted), mostValues)], func(s string) bool { return len(s) > longestValue })...)
}
