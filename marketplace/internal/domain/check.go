package domain

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strings"

	"github.com/go-playground/validator/v10"
)

// checker validates `validate` tags. It is shared because creating one is expensive, and it is safe
// for concurrent use.
var checker = newChecker()

func newChecker() *validator.Validate {
	v := validator.New(validator.WithRequiredStructEnabled())
	if err := v.RegisterValidation("headervalue", isHeaderValue); err != nil {
		panic(err) // only for a tag without a name
	}
	if err := v.RegisterValidation("unguessable", isUnguessable); err != nil {
		panic(err)
	}
	if err := v.RegisterValidation("ruleid", isRuleID); err != nil {
		panic(err)
	}
	v.RegisterTagNameFunc(func(field reflect.StructField) string {
		name, _, _ := strings.Cut(field.Tag.Get("json"), ",")
		return name
	})
	return v
}

// headerValue matches values that a header can carry unescaped: printable ASCII without
// leading or trailing space.
var headerValue = regexp.MustCompile(`^[!-~]([ -~]*[!-~])?$`)

func isHeaderValue(field validator.FieldLevel) bool {
	return headerValue.MatchString(field.Field().String())
}

// ruleID matches ids of the conformance suite's rules, such as reserve.vacancies.one.
var ruleID = regexp.MustCompile(`^[a-z][a-z0-9-]{0,40}(\.[a-z0-9-]{1,40}){1,4}$`)

func isRuleID(field validator.FieldLevel) bool { return ruleID.MatchString(field.Field().String()) }

// longestPlace limits the quotation of names from a request, in bytes.
const longestPlace = 100

// Check returns every mistake in a struct with `validate` tags as Invalid, with a detail and a JSON
// path for each. Values are not quoted, because they may be secret.
func Check(value any) error {
	err := checker.Struct(value)
	var mistakes validator.ValidationErrors
	if !errors.As(err, &mistakes) {
		return err
	}
	wrong := &Error{Code: Invalid, Message: "invalid request"}
	own := reflect.Indirect(reflect.ValueOf(value)).Type().Name() + "."
	for _, mistake := range mistakes {
		place := strings.TrimPrefix(mistake.Namespace(), own)
		if len(place) > longestPlace { // keys of a map come from the caller
			place = strings.ToValidUTF8(place[:longestPlace], "") + "…"
		}
		wrong.Details = append(wrong.Details, place+": "+describeTag(mistake))
	}
	return wrong
}

// describeTag describes what a tag requires.
func describeTag(mistake validator.FieldError) string {
	kind, of := mistake.Kind(), mistake.Param()
	text, list := kind == reflect.String, kind == reflect.Slice || kind == reflect.Map
	switch tag := mistake.Tag(); {
	case tag == "required" || tag == "required_without":
		return "is required"
	case tag == "email":
		return "expected an address such as ana@example.com"
	case tag == "oneof":
		return "expected one of " + strings.Join(strings.Fields(of), ", ")
	case tag == "headervalue":
		return "expected printable ASCII characters, and no space at either end"
	case tag == "ruleid":
		return "expected the id of a rule, such as reserve.vacancies.one"
	case tag == "unguessable":
		return "too easy to guess: it is a common password or similar to one; use several unrelated words"
	case tag == "uuid":
		return "expected an id"
	case tag == "iso4217":
		return "expected an ISO 4217 code such as EUR"
	case tag == "min" && text:
		return fmt.Sprintf("expected at least %s letters", of)
	case tag == "max" && text:
		return fmt.Sprintf("expected at most %s letters", of)
	case tag == "min" && list:
		return fmt.Sprintf("expected at least %s", of)
	case tag == "max" && list:
		return fmt.Sprintf("expected at most %s", of)
	case tag == "min" || tag == "gte":
		return fmt.Sprintf("expected %s or more", of)
	case tag == "max" || tag == "lte":
		return fmt.Sprintf("expected %s or less", of)
	default:
		return fmt.Sprintf("expected %s %s", tag, of)
	}
}

// CheckText returns what a `validate` rule requires of a text, or "" if the text is valid.
func CheckText(text, rule string) string {
	var mistakes validator.ValidationErrors
	if errors.As(checker.Var(text, rule), &mistakes) {
		return describeTag(mistakes[0])
	}
	return ""
}
