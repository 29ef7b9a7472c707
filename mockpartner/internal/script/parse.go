package script

import (
	"cmp"
	"errors"
	"regexp"
	"slices"
	"strings"

	"partnerkit.dev/internal/yamlfile"
	"partnerkit.dev/mockpartner/internal/invalid"
)

// Problems is the error of an invalid scenario or list of faults. Each of its lines begins with
// file, line and column.
type Problems = yamlfile.Problems

// parse reads one document of plain YAML, and validates it with check and that part of the schema.
// Its error is a *Problems with all problems.
func parse[T any](name string, text []byte, empty, schema string, check func(T) []error) (value T, err error) {
	problems, fatal := checkPlainYAML(text)
	if !fatal {
		found := yamlfile.DecodeEvery(text, &value, empty)
		wrong := paths(found.Paths)
		for i := range problems {
			wrong, problems[i].Path = append(wrong, problems[i].Path), "" // their line numbers locate them
		}
		problems = append(problems, found.List...)
		// A missing value in a single fault or quirk can cause other problems, so they are not
		// checked.
		single := strings.HasPrefix(schema, "#/$defs/") && len(found.List) > 0
		if !found.Partial && !single {
			checked := []yamlfile.Problem{}
			for _, err := range check(value) {
				checked = append(checked, wrong.otherParts(problemsOf(err))...)
			}
			for _, problem := range checked {
				wrong = append(wrong, problem.Path)
			}
			problems = append(problems, checked...)
			problems = append(problems, wrong.unrelatedProblems(keep(schemas()[schema], text))...)
		}
	}
	if len(problems) == 0 {
		return value, nil
	}
	yamlfile.Locate(problems, text)
	slices.SortStableFunc(problems, func(a, b yamlfile.Problem) int {
		return cmp.Or(cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return value, &Problems{File: name, List: problems}
}

// paths are the paths of known problems in a text.
type paths []string

// item is the path of a fault or a quirk in a list.
var item = regexp.MustCompile(`^(faults|quirks)?\[[0-9]+\]`)

// otherParts returns the problems that known ones did not cause: they are elsewhere, and not in the
// same fault or quirk.
func (p paths) otherParts(problems []yamlfile.Problem) []yamlfile.Problem {
	return slices.DeleteFunc(slices.Clone(problems), func(problem yamlfile.Problem) bool {
		return slices.ContainsFunc(p, func(known string) bool {
			part := item.FindString(problem.Path)
			return part != "" && part == item.FindString(known) || related(known, problem.Path)
		})
	})
}

// unrelatedProblems returns the first problem of each value that is unrelated to the known ones. Values around
// or within a known one are related.
func (p paths) unrelatedProblems(problems []yamlfile.Problem) (others []yamlfile.Problem) {
	for _, problem := range problems {
		if !slices.ContainsFunc(p, func(known string) bool { return related(known, problem.Path) }) {
			others, p = append(others, problem), append(p, problem.Path)
		}
	}
	return others
}

func related(a, b string) bool { return isWithin(a, b) || isWithin(b, a) }

// isWithin reports whether path is the path of the value, or of a part of it.
func isWithin(path, value string) bool {
	rest, found := strings.CutPrefix(path, value)
	return found && (value == "" || rest == "" || rest[0] == '.' || rest[0] == '[')
}

// prefixPath prefixes the path of an error with a key. An error without a path gets one.
func prefixPath(key string, err error) error {
	if many := (*Problems)(nil); errors.As(err, &many) {
		for i := range many.List {
			many.List[i].Path = key + many.List[i].Path
		}
		return err
	}
	if placed := (*invalid.Error)(nil); err == nil || errors.As(err, &placed) {
		return invalid.AddPrefix(key, err)
	}
	return invalid.ErrorAt(key, "%v", err)
}

func problemsOf(err error) []yamlfile.Problem {
	if many := (*Problems)(nil); errors.As(err, &many) {
		return many.List
	}
	if placed := (*invalid.Error)(nil); errors.As(err, &placed) {
		return []yamlfile.Problem{{Path: placed.Path, Message: placed.Message}}
	}
	return []yamlfile.Problem{{Message: err.Error()}}
}
