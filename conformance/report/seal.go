package report

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

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

// Verification is the result of checking a report's checksum.
type Verification struct {
	Result *Result // the content of the report
	SHA256 string  // recomputed; Result.Integrity has the original
}

// WasChanged reports whether the report differs from its own Integrity.
func (v *Verification) WasChanged() bool { return v.SHA256 != v.Result.Integrity.SHA256 }

// Verify recomputes the checksum of the report.json at path. Its error is one line with the reason
// why the file is not a report.
func Verify(path string) (*Verification, error) {
	text, err := load(path)
	if err != nil {
		return nil, err
	}
	v := &Verification{Result: &Result{}}
	// Readers disagree about two members with the same name, so that is invalid.
	if jsontext.Value(text).IsValid() && json.Unmarshal(text, v.Result) == nil && v.Result.Integrity != nil {
		if v.SHA256, err = checksum(text); err == nil {
			return v, nil
		}
	}
	return nil, fmt.Errorf("%s is not a report.json of this suite", path)
}

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
