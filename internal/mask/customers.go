package mask

import (
	"bytes"
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"partnerkit.dev/internal/redact"
)

// Customers collects the customers' data in the bodies of an exchange.
type Customers struct{ said []string }

// personal lists the names of fields with customers' data.
var personal = []string{
	"contact", "fullname", "firstname", "lastname", "emailaddress", "email", "phonenumber", "phone", "notes",
}

func isPersonal(name string) bool { return slices.Contains(personal, strings.ToLower(name)) }

// mail matches an email address, which an answer may repeat from another call.
var mail = regexp.MustCompile(`[^\s"'<>@,;:()]+@[^\s"'<>@,;:()]+\.[^\s"'<>@,;:()]+`)

// Removed returns a JSON body without customers' data, including data that an answer repeats in a
// sentence. Other bodies are returned unchanged.
func (c *Customers) Removed(raw []byte) []byte {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if len(raw) == 0 || !json.Valid(raw) || decoder.Decode(&value) != nil {
		return raw
	}
	c.collect(value, "")
	if len(c.said) == 0 && !mail.Match(raw) {
		return raw
	}
	text, err := json.Marshal(c.cleaned(value))
	if err != nil {
		return raw
	}
	return text
}

func (c *Customers) collect(value any, name string) {
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
			c.said = append(c.said, value)
		}
	}
}

func (c *Customers) cleaned(value any) any {
	switch value := value.(type) {
	case map[string]any:
		for name, child := range value {
			value[name] = c.cleaned(child)
		}
	case []any:
		for i, item := range value {
			value[i] = c.cleaned(item)
		}
	case string:
		for _, said := range c.said {
			value = strings.ReplaceAll(value, said, redact.Mark)
		}
		if strings.Contains(value, "@") { // matching takes long
			value = mail.ReplaceAllString(value, redact.Mark)
		}
		return value
	}
	return value
}
