package schemas_test

import (
	"strings"
	"testing"

	"partnerkit.dev/schemas"
)

func TestAProblemNamesItsPlaceAsPeopleWriteIt(t *testing.T) {
	t.Parallel()
	for pointer, want := range map[string]string{
		"":              "",
		"/id":           "id",
		"/options/0/id": "options[0].id",
		"/2":            "[2]",
		"/2/options/10": "[2].options[10]",
		"/_id":          "_id",
		"/odd name":     `["odd name"]`,
		"/a/odd.name/b": `a["odd.name"].b`,
		"/a~1b/m~0n":    `["a/b"]["m~n"]`,
		"/a/":           `a[""]`,
		"/a/7b":         `a["7b"]`,
		"/a\n\x1b[2J":   `["a\n\x1b[2J"]`,
		"/ünits":        `["ünits"]`,

		"/a/" + strings.Repeat("b", 61): `a["` + strings.Repeat("b", 60) + `"…]`,
	} {
		if got := (schemas.Problem{Pointer: pointer}).Path(); got != want {
			t.Errorf("the path of %q: want %s, got %s", pointer, want, got)
		}
	}
}

func TestAProblemReadsAsPlaceAndMessage(t *testing.T) {
	t.Parallel()
	problem := schemas.Problem{Pointer: "/options/0/id", Keyword: "type", Message: "expected a string, received 7"}
	for want, got := range map[string]schemas.Problem{
		"options[0].id: expected a string, received 7":             problem,
		"products[2].options[0].id: expected a string, received 7": problem.WithPrefix("/products/2"),
		"[2].options[0].id: expected a string, received 7":         problem.WithPrefix("/2"),
		"expected a string, received 7":                            {Message: problem.Message},
	} {
		if got.String() != want {
			t.Errorf("want %q, got %q", want, got)
		}
	}
}
