package report

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-json-experiment/json/jsontext"
)

// Verification is what became of a report since the run wrote it.
type Verification struct {
	Result  *Result  // what the report says
	SHA256  string   // reckoned anew
	Changed []string // the parts that are not as the report's own Integrity has them; empty: none
}

// ErrNoReport is the error of a document that is no report, or of one that was
// written before reports had an Integrity.
var ErrNoReport = errors.New("is no report.json or report.html of this suite")

// ErrOtherSuite is the error of a page that another version of the suite drew:
// nobody but that version can tell whether it shows the evidence in it.
var ErrOtherSuite = errors.New("was drawn by another version of the suite")

// pagePart is the name of what a page shows, besides the report in it.
const pagePart = "the page around the evidence"

// Verify reckons the Integrity of a report.json or a report.html anew. A page
// is drawn again from the report in it, by this version of the suite.
func Verify(document []byte, suiteVersion string) (*Verification, error) {
	embedded, isPage := embeddedIn(document)
	if !isPage {
		return verifyJSON(document)
	}
	v, err := verifyJSON(embedded)
	if err != nil {
		return nil, err
	}
	drawn, err := HTML(v.Result)
	switch {
	case err != nil:
		return nil, err
	case bytes.Equal(drawn, document):
	case v.Result.SuiteVersion != suiteVersion:
		return nil, fmt.Errorf("%w, %s, and this is %s: verify its report.json, which any version can", ErrOtherSuite, v.Result.SuiteVersion, suiteVersion)
	default:
		v.Changed = append(v.Changed, pagePart)
	}
	return v, nil
}

func verifyJSON(text []byte) (*Verification, error) {
	// Two members of one name would be read by one reader so, by another so.
	if !jsontext.Value(text).IsValid() {
		return nil, ErrNoReport
	}
	v := &Verification{Result: &Result{}}
	if err := json.Unmarshal(text, v.Result); err != nil || v.Result.Integrity == nil || v.Result.Integrity.SHA256 == "" {
		return nil, ErrNoReport
	}
	now, err := integrityOf(text)
	if err != nil {
		return nil, ErrNoReport
	}
	v.SHA256, v.Changed = now.SHA256, changed(v.Result.Integrity.Parts, now.Parts)
	if len(v.Changed) == 0 && now.SHA256 != v.Result.Integrity.SHA256 {
		v.Changed = []string{integrityMember}
	}
	return v, nil
}

// changed lists the parts that differ, are gone, or came, by name.
func changed(then, now map[string]string) []string {
	all := maps.Clone(now)
	maps.Copy(all, then)
	return slices.DeleteFunc(slices.Sorted(maps.Keys(all)), func(name string) bool {
		return then[name] == now[name]
	})
}

// The report.json stands in its page between these.
const (
	embeddedBegin = `<script type="application/json" id="report">`
	embeddedEnd   = `</script>`
)

// embeddedIn returns the report.json in a page.
func embeddedIn(page []byte) ([]byte, bool) {
	_, rest, found := bytes.Cut(page, []byte(embeddedBegin))
	text, _, ended := bytes.Cut(rest, []byte(embeddedEnd))
	return text, found && ended
}

// embeddable returns a report.json as it can stand in a page: nothing in it ends
// the element, and it is ASCII, so that nothing of it must be made visible.
func embeddable(r *Result) (string, error) {
	text, err := json.Marshal(r) // escapes <, > and &
	if err != nil {
		return "", fmt.Errorf("write the report into its page: %w", err)
	}
	var b strings.Builder
	for _, char := range string(text) {
		switch {
		case char < 0x7F:
			b.WriteRune(char)
		case char < 0x10000:
			fmt.Fprintf(&b, `\u%04x`, char)
		default:
			fmt.Fprintf(&b, `\u%04x\u%04x`, 0xD800+(char-0x10000)>>10, 0xDC00+(char-0x10000)&0x3FF)
		}
	}
	return b.String(), nil
}
