package twin

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// object is a JSON object in the order in which it was written.
type object []member

type member struct {
	name  string
	value any // an object, a []any, or a scalar
}

// orderFields returns a value as JSON, with its fields in the order of its type.
func orderFields(value any) (any, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	decoder := json.NewDecoder(&text)
	decoder.UseNumber()
	return decodeNext(decoder)
}

func decodeNext(decoder *json.Decoder) (any, error) {
	token, err := decoder.Token()
	if err != nil {
		return nil, err
	}
	switch token {
	case json.Delim('{'):
		all := object{}
		for decoder.More() {
			name, err := decoder.Token()
			if err != nil {
				return nil, err
			}
			value, err := decodeNext(decoder)
			if err != nil {
				return nil, err
			}
			all = append(all, member{fmt.Sprint(name), value})
		}
		_, err := decoder.Token()
		return all, err
	case json.Delim('['):
		all := []any{}
		for decoder.More() {
			value, err := decodeNext(decoder)
			if err != nil {
				return nil, err
			}
			all = append(all, value)
		}
		_, err := decoder.Token()
		return all, err
	}
	return token, nil
}

// removeMembers returns the object without some of its members.
func (o object) removeMembers(names ...string) object {
	return slices.DeleteFunc(slices.Clone(o), func(m member) bool { return slices.Contains(names, m.name) })
}

// flow renders a JSON value on one line, in YAML.
func flow(value any) string {
	switch value := value.(type) {
	case object:
		var parts []string
		for _, m := range value {
			parts = append(parts, key(m.name)+": "+flow(m.value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []any:
		var parts []string
		for _, one := range value {
			parts = append(parts, flow(one))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case string:
		return scalar(value)
	case nil:
		return "null"
	default:
		return fmt.Sprint(value)
	}
}

// plainText matches texts that need no quotes in YAML.
var plainText = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9_.-]*( [A-Za-z0-9_.-]+)*$`)

// quoted are words that YAML reads, or once read, as something other than text.
var quoted = []string{"true", "false", "yes", "no", "on", "off", "y", "n", "null", "nan", "inf"}

// key renders the name of a member. YAML 1.1 read more of them as non-text than our reader does,
// such as on.
func key(name string) string {
	if plainText.MatchString(name) && !slices.Contains([]string{"true", "false", "null"}, strings.ToLower(name)) {
		return name
	}
	return quote(name)
}

// scalar renders a text.
func scalar(text string) string {
	if plainText.MatchString(text) && !slices.Contains(quoted, strings.ToLower(text)) {
		return text
	}
	return quote(text)
}

// quote renders a text in JSON quotes, which are valid YAML.
func quote(text string) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(text) // a text can always be written
	return strings.NewReplacer("\u007f", `\u007f`, "\u0085", `\u0085`, "\ufeff", `\ufeff`).Replace(strings.TrimSuffix(out.String(), "\n"))
}
