package report

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// Integrity is the checksum of a report. It tells two reports apart, and proves
// nothing of who wrote one: whoever changes a report can compute it again. What
// counts is a SHA-256 that came another way, such as from the log of the run.
type Integrity struct {
	// SHA256 is that of report.json without this member, in hexadecimal, in the
	// canonical form of RFC 8785: members in the order of their names, no white
	// space, numbers and texts written in one way.
	SHA256 string `json:"sha256"`
}

// Seal returns r with its Integrity.
func Seal(r *Result) (*Result, error) {
	sealed := *r
	sealed.Integrity = nil
	text, err := JSON(&sealed)
	if err != nil {
		return nil, err
	}
	sum, err := checksum(text)
	if err != nil {
		return nil, fmt.Errorf("seal the report: %w", err)
	}
	sealed.Integrity = &Integrity{SHA256: sum}
	return &sealed, nil
}

// Verification is what the checksum of a report says of it.
type Verification struct {
	Result *Result // what the report says
	SHA256 string  // recomputed; Result.Integrity has what it was
}

// Changed reports whether the report is not as its own Integrity has it.
func (v *Verification) Changed() bool { return v.SHA256 != v.Result.Integrity.SHA256 }

// Verify recomputes the checksum of the report.json at path. Its error says in one
// line why the file is none.
func Verify(path string) (*Verification, error) {
	text, err := load(path)
	if err != nil {
		return nil, err
	}
	v := &Verification{Result: &Result{}}
	// Two members of one name would be read by one reader so, by another so.
	if jsontext.Value(text).IsValid() && json.Unmarshal(text, v.Result) == nil && v.Result.Integrity != nil {
		if v.SHA256, err = checksum(text); err == nil {
			return v, nil
		}
	}
	return nil, fmt.Errorf("%s is no report.json of this suite", path)
}

// checksum computes that of a report.json, whatever it says of it.
func checksum(text []byte) (string, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return "", err
	}
	delete(members, "integrity")
	encoded, err := json.Marshal(members)
	if err != nil {
		return "", err
	}
	canonical := jsontext.Value(encoded)
	if err := canonical.Canonicalize(); err != nil {
		return "", err
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:]), nil
}
