package schemas_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"partnerkit.dev/schemas"
	"partnerkit.dev/schemas/partnerapi"
)

func FuzzValidate(f *testing.F) {
	for _, name := range []string{schemas.ProductsAnswer, schemas.AvailabilityAnswer, schemas.ConfirmAnswerWithTickets, schemas.Activity} {
		for _, text := range []string{`[` + productText + `]`, `{"products": [7]}`, `[{"vacancies": -1e400}]`, "[\xff]", `{"a`, ``} {
			f.Add(name, []byte(text))
		}
	}
	f.Fuzz(func(t *testing.T, name string, text []byte) {
		problems := schemas.Validate(name, text)
		if len(problems) > schemas.MaxProblems {
			t.Errorf("%d problems, more than %d", len(problems), schemas.MaxProblems)
		}
		for _, problem := range problems {
			line := problem.String()
			if problem.Keyword == "" || problem.Message == "" || !utf8.ValidString(line) || strings.ContainsAny(line, "\n\r\x1b") {
				t.Errorf("a problem that cannot be shown: %#v", problem)
			}
			if problem.Pointer != "" && problem.Pointer[0] != '/' {
				t.Errorf("%q is no JSON pointer", problem.Pointer)
			}
		}
		if slices.Contains(schemas.Names(), name) && !json.Valid(text) && len(problems) == 0 {
			t.Error("a text that is no JSON has no problem")
		}
	})
}

// What the schemas let pass, the Go types can hold.
func FuzzDecode(f *testing.F) {
	f.Add([]byte(productText))
	f.Add([]byte(strings.ReplaceAll(productText, "100", "1.0e2")))
	f.Fuzz(func(t *testing.T, text []byte) {
		var product partnerapi.Product
		if schemas.Decode(schemas.Product, text, &product) != nil {
			return
		}
		again, err := json.Marshal(product)
		check(t, err)
		if problems := schemas.Validate(schemas.Product, again); problems != nil {
			t.Errorf("%s\nis lawful and decodes to what is not: %s\n%v", text, again, problems)
		}
	})
}
