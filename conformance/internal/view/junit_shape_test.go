package view

import (
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"partnerkit.dev/conformance/report"
)

// element is what Jenkins' schema of JUnit files (junit-10.xsd) lets an element
// hold. GitLab's and GitHub's readers take every file that keeps it.
type element struct {
	required, optional []string // attributes
	children           []string
	text               bool
}

var junitSchema = map[string]element{
	"testsuites": {optional: []string{"name", "time", "tests", "failures", "errors"}, children: []string{"testsuite"}},
	"testsuite": {
		required: []string{"name", "tests", "failures", "errors"},
		optional: []string{"group", "time", "skipped", "timestamp", "hostname", "id", "package", "file", "log", "url"},
		children: []string{"testsuite", "properties", "testcase", "system-out", "system-err"},
	},
	"properties": {children: []string{"property"}},
	"property":   {required: []string{"name", "value"}},
	"testcase": {
		required: []string{"name"}, optional: []string{"time", "classname", "group"},
		children: []string{"skipped", "error", "failure", "system-out", "system-err"},
	},
	"failure":    {optional: []string{"type", "message"}, text: true},
	"skipped":    {optional: []string{"type", "message"}, text: true},
	"system-out": {text: true},
}

// surefireTime is what the schema takes for a time.
var surefireTime = regexp.MustCompile(`^(([0-9]{0,3},)*[0-9]{3}|[0-9]{0,3})*(\.[0-9]*)?$`)

// keepsSchema wants every element, attribute and text of a file to be where the
// schema has it.
func keepsSchema(t testing.TB, content []byte) {
	t.Helper()
	within := []string{""}
	for dec := xml.NewDecoder(strings.NewReader(string(content))); ; {
		token, err := dec.Token()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		parent := within[len(within)-1]
		switch token := token.(type) {
		case xml.StartElement:
			name := token.Name.Local
			if parent == "" && name != "testsuites" || parent != "" && !slices.Contains(junitSchema[parent].children, name) {
				t.Fatalf("<%s> stands in <%s>", name, parent)
			}
			keepsAttributes(t, token)
			within = append(within, name)
		case xml.EndElement:
			within = within[:len(within)-1]
		case xml.CharData:
			if parent != "" && !junitSchema[parent].text && strings.TrimSpace(string(token)) != "" {
				t.Fatalf("the text %q stands in <%s>", token, parent)
			}
		}
	}
}

func keepsAttributes(t testing.TB, of xml.StartElement) {
	t.Helper()
	allowed := junitSchema[of.Name.Local]
	missing := slices.Clone(allowed.required)
	for _, a := range of.Attr {
		if !slices.Contains(slices.Concat(allowed.required, allowed.optional), a.Name.Local) || a.Name.Local == "time" && !surefireTime.MatchString(a.Value) {
			t.Fatalf("<%s> has the attribute %s=%q", of.Name.Local, a.Name.Local, a.Value)
		}
		missing = slices.DeleteFunc(missing, func(name string) bool { return name == a.Name.Local })
	}
	if len(missing) > 0 {
		t.Fatalf("<%s> lacks the attributes %q", of.Name.Local, missing)
	}
}

func TestJUnitKeepsTheSchemaOfThoseThatReadIt(t *testing.T) {
	t.Parallel()
	keepsSchema(t, render(t, drawJUnit, seal(t, sampleResult(t))))
	keepsSchema(t, render(t, drawJUnit, &report.Result{}))
}
