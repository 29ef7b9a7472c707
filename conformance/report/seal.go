package report

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"

	"github.com/go-json-experiment/json/jsontext"
)

// Integrity tells whether a report is still what the run wrote. It proves
// nothing of who wrote it: whoever changes a report can reckon anew. What counts
// is a SHA-256 that came another way, such as from the log of the run.
type Integrity struct {
	// SHA256 is that of Parts in its canonical form, in hexadecimal. Verdict,
	// evidence, suite version and contract version are all among the parts.
	SHA256 string `json:"sha256"`
	// Parts has the SHA-256 of every part of report.json in its canonical form:
	// of each of its members but this one by the member's name, such as "verdict",
	// and of each of its rules by "rules/" and the rule's id.
	//
	// The canonical form is that of RFC 8785: members in the order of their names,
	// no white space, numbers and texts written in one way.
	Parts map[string]string `json:"parts"`
}

// The members of report.json that are not parts as they are.
const (
	integrityMember = "integrity"
	rulesMember     = "rules"
)

// Seal returns r as a reader of its report.json will have it, with its
// Integrity: the views that are drawn from it can be drawn again by the reader.
func Seal(r *Result) (*Result, error) {
	open := *r
	open.Integrity = nil
	text, err := JSON(&open)
	if err != nil {
		return nil, err
	}
	integrity, err := integrityOf(text)
	if err != nil {
		return nil, fmt.Errorf("seal the report: %w", err)
	}
	sealed := &Result{}
	if err := json.Unmarshal(text, sealed); err != nil {
		return nil, fmt.Errorf("seal the report: %w", err)
	}
	sealed.Integrity, sealed.Calls, sealed.Pictures = integrity, r.Calls, r.Pictures
	return sealed, nil
}

// integrityOf reckons the integrity of a report.json, whatever it says of it.
func integrityOf(text []byte) (*Integrity, error) {
	var members map[string]json.RawMessage
	if err := json.Unmarshal(text, &members); err != nil {
		return nil, err
	}
	parts := map[string]string{}
	note := func(name string, value []byte) (err error) {
		for _, taken := parts[name]; taken; _, taken = parts[name] {
			name += "#" // a second part of one name must not hide the first
		}
		parts[name], err = digest(value)
		return err
	}
	for name, value := range members {
		var err error
		switch name {
		case integrityMember:
		case rulesMember:
			err = eachRule(value, note)
		default:
			err = note(name, value)
		}
		if err != nil {
			return nil, err
		}
	}
	encoded, err := json.Marshal(parts)
	if err != nil {
		return nil, err
	}
	sum, err := digest(encoded)
	return &Integrity{SHA256: sum, Parts: parts}, err
}

// eachRule notes the rules of a report one by one.
func eachRule(value []byte, note func(name string, value []byte) error) error {
	var rules []json.RawMessage
	if err := json.Unmarshal(value, &rules); err != nil {
		return err
	}
	for _, one := range rules {
		var named struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal(one, &named); err != nil {
			return err
		}
		if err := note(rulesMember+"/"+named.ID, one); err != nil {
			return err
		}
	}
	return nil
}

// digest returns the SHA-256 of a JSON value in its canonical form.
func digest(value []byte) (string, error) {
	canonical := jsontext.Value(value).Clone()
	if err := canonical.Canonicalize(); err != nil {
		return "", err
	}
	sum := sha256.Sum256(canonical)
	return hex.EncodeToString(sum[:]), nil
}
