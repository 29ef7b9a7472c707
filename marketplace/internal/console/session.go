package console

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"net/http"
	"net/url"
	"path"
	"strconv"
	"strings"
	"time"

	"partnerkit.dev/marketplace/internal/api"
	"partnerkit.dev/marketplace/internal/domain"
)

// sessionLife is the maximum duration of a session.
const sessionLife = 12 * time.Hour

// cookies are a browser's cookies for a site.
type cookies struct {
	w      http.ResponseWriter
	r      *http.Request
	site   string // its name
	secure bool   // sent over HTTPS only
}

// name returns the name of a cookie. With the prefix __Host- it is only sent over HTTPS, and no
// other host can set it.
func (c cookies) name(name string) string {
	name = c.site + "-" + name
	if c.secure {
		return "__Host-" + name
	}
	return name
}

// set sets a cookie that scripts cannot read and other sites do not send; "" deletes it.
func (c cookies) set(name, value string, life time.Duration) {
	if value == "" {
		life = -time.Second
	}
	http.SetCookie(c.w, &http.Cookie{
		Name: c.name(name), Value: value, Path: "/", MaxAge: int(life.Seconds()),
		HttpOnly: true, Secure: c.secure, SameSite: http.SameSiteLaxMode,
	})
}

// get returns a cookie's value, or "".
func (c cookies) get(name string) string {
	found, err := c.r.Cookie(c.name(name))
	if err != nil {
		return ""
	}
	return found.Value
}

// The console's cookies: the session's token, and the note for the next page.
const (
	sessionCookie = "session"
	noteCookie    = "note"
)

// signedIn admits accounts with the site's role and redirects everyone else to the sign-in page.
func signedIn(next handler) handler {
	return func(x *exchange) error {
		err := x.resume(x.cookies.get(sessionCookie))
		if domain.CodeOf(err) == domain.Unauthorized {
			return x.askToSignIn()
		}
		if err != nil {
			return err
		}
		err = next(x)
		if problem := asRefusal(err); problem != nil && problem.Status == http.StatusUnauthorized {
			return x.askToSignIn() // the session has ended meanwhile
		}
		return err
	}
}

var errSignedOut = &domain.Error{Code: domain.Unauthorized, Message: "the session has ended"}

// resume resumes the session of a token. The error is Unauthorized if it has ended or belongs to
// another role.
func (x *exchange) resume(token string) (err error) {
	if token == "" {
		return errSignedOut
	}
	session, err := x.SignIn.Resume(x.r.Context(), token)
	if err != nil {
		return err
	}
	if session.Account.Role != x.site.Role || x.Now().Sub(session.Begun) >= sessionLife {
		return errSignedOut
	}
	x.session, x.caller.token = session, session.AccessToken
	return nil
}

// askToSignIn redirects to the sign-in page, which returns to the requested page.
func (x *exchange) askToSignIn() error {
	query := url.Values{}
	if x.cookies.get(sessionCookie) != "" {
		x.cookies.set(sessionCookie, "", 0)
		query.Set("ended", "yes")
	}
	if x.r.Method == http.MethodGet {
		query.Set("to", x.r.URL.RequestURI())
	}
	return x.goTo(x.site.Root + "/signin?" + query.Encode())
}

// localPath returns an address within the site, or the front page for any other address.
func (s *site) localPath(address string) string {
	to, err := url.Parse(address)
	if err != nil || to.Host != "" || to.Scheme != "" || !strings.HasPrefix(address, s.Root+"/") || !strings.HasPrefix(path.Clean(to.Path)+"/", s.Root+"/") {
		return s.Root + "/"
	}
	return address
}

type signInPage struct {
	frame
	Form  *form
	To    string
	Ended bool
}

func signInForm(given url.Values) *form {
	return newForm(given,
		field{Name: "email", Label: "Email", Kind: "email", Required: true, Complete: "username"},
		field{Name: "password", Label: "Password", Kind: "password", Required: true, Complete: "current-password"},
	)
}

func showSignIn(x *exchange) error {
	query := x.r.URL.Query()
	return x.show(http.StatusOK, "signin.html", &signInPage{
		frame: frame{Page: "Sign in"}, Form: signInForm(nil), To: x.site.localPath(query.Get("to")), Ended: query.Has("ended"),
	})
}

func signIn(x *exchange) error {
	given := x.given
	f := signInForm(given)
	token, err := x.SignIn.BeginSession(x.r.Context(), given.Get("email"), given.Get("password"), api.CallerAddress(x.r))
	if err == nil {
		if err = x.resume(token); err == nil {
			x.cookies.set(sessionCookie, token, sessionLife)
			return x.goTo(x.site.localPath(given.Get("to")))
		}
		_ = x.SignIn.EndSession(x.r.Context(), token) // it expires anyway
		if domain.CodeOf(err) == domain.Unauthorized {
			err = &domain.Error{Code: domain.Forbidden}
		}
	}
	problem := &refusal{}
	switch domain.CodeOf(err) { // these errors do not belong to a field
	case domain.Unauthorized:
		problem.Status, problem.Message = http.StatusUnauthorized, "Wrong email address or password, or the account is disabled."
	case domain.Forbidden:
		problem.Status, problem.Message = http.StatusForbidden, fmt.Sprintf("These pages are for %ss only.", x.site.Role)
	case domain.RateLimited:
		wait := "60"
		if limited := (*domain.Error)(nil); errors.As(err, &limited) {
			wait = strconv.Itoa(int(math.Ceil(limited.RetryAfter.Seconds())))
		}
		problem.Status, problem.Message = http.StatusTooManyRequests, "Too many failed sign-ins. Try again in "+wait+" seconds."
		x.w.Header().Set("Retry-After", wait)
	default:
		return err
	}
	f.refuse(problem)
	return x.show(problem.Status, "signin.html", &signInPage{frame: frame{Page: "Sign in"}, Form: f, To: x.site.localPath(given.Get("to"))})
}

func signOut(x *exchange) error {
	if token := x.cookies.get(sessionCookie); token != "" {
		if err := x.SignIn.EndSession(x.r.Context(), token); err != nil {
			return err
		}
	}
	x.cookies.set(sessionCookie, "", 0)
	return x.goTo(x.site.Root + "/signin")
}

// note is a message about an action, which the next page shows once. Its cookie is encrypted for
// the session, so that it cannot be read or forged.
type note struct {
	Words  string
	Failed bool
	Open   bool      // done, but something remains to be done
	Secret string    // shown only once, such as a new token
	At     time.Time // when it was written
}

// noteLife is how long a note waits for the next page.
const noteLife = time.Minute

// say stores a note for the next page.
func (x *exchange) say(n note) error {
	n.At = x.Now()
	text, err := json.Marshal(n)
	if err != nil {
		return err
	}
	x.cookies.set(noteCookie, base64.RawURLEncoding.EncodeToString(x.notes.Seal(string(text), x.cookies.get(sessionCookie))), noteLife)
	return nil
}

// noteOf removes and returns the pending note, or returns nil.
func (x *exchange) noteOf() *note {
	sealed, err := base64.RawURLEncoding.DecodeString(x.cookies.get(noteCookie))
	if err != nil || len(sealed) == 0 {
		return nil
	}
	x.cookies.set(noteCookie, "", 0)
	text, err := x.notes.Open(sealed, x.cookies.get(sessionCookie))
	n := &note{}
	if err != nil || json.Unmarshal([]byte(text), n) != nil || x.Now().Sub(n.At) > noteLife {
		return nil
	}
	return n
}
