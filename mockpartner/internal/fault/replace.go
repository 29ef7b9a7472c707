package fault

import (
	"context"
	"regexp"

	"partnerkit.dev/mockpartner/internal/invalid"
)

// Replace changes the text of the answer's body. Unlike jq, it does not reformat the JSON.
type Replace struct {
	Find string `yaml:"find" json:"find"` // a regular expression
	With string `yaml:"with" json:"with"` // $1 is its first group
}

type replacement struct {
	find *regexp.Regexp
	with string
}

func (r *Replace) compile() (any, error) {
	find, err := regexp.Compile(r.Find)
	if err != nil || r.Find == "" {
		return nil, invalid.ErrorAt("replace.find", "expected a regular expression, received %q", r.Find)
	}
	return &replacement{find, r.With}, nil
}

func (r *replacement) transform(_ context.Context, answer *response, _ func() []any) error {
	answer.body = r.find.ReplaceAll(answer.body, []byte(r.with))
	return nil
}
