package console

import (
	"encoding/base64"
	"encoding/json"
	"time"
)

// note is what the next page has to say of what was done. It travels in a cookie, sealed
// for the sign-in: nobody else can read it or make one up, and it is said once.
type note struct {
	Words  string
	Failed bool
	Secret string    // to be shown this once, such as a new token
	At     time.Time // when it was written
}

// noteLife is how long a note waits for its page.
const noteLife = time.Minute

// say leaves a note for the next page.
func (x *exchange) say(n note) error {
	n.At = x.Now()
	text, err := json.Marshal(n)
	if err != nil {
		return err
	}
	x.setCookie(noteCookie, base64.RawURLEncoding.EncodeToString(x.notes.Seal(string(text), x.cookie(sessionCookie))), noteLife)
	return nil
}

// noteOf takes the note that was left, and nil where there is none.
func (x *exchange) noteOf() *note {
	sealed, err := base64.RawURLEncoding.DecodeString(x.cookie(noteCookie))
	if err != nil || len(sealed) == 0 {
		return nil
	}
	x.setCookie(noteCookie, "", 0)
	text, err := x.notes.Open(sealed, x.cookie(sessionCookie))
	n := &note{}
	if err != nil || json.Unmarshal([]byte(text), n) != nil || x.Now().Sub(n.At) > noteLife {
		return nil
	}
	return n
}
