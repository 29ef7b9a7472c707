package console

import (
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"

	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/marketplace"
)

// sessionLife is how long an operator is signed in at the most.
const sessionLife = 12 * time.Hour

// cookieName is what a cookie of the console is called. What begins with __Host- is for
// https alone, and no other host can set it.
func (c *Console) cookieName(name string) string {
	if c.Secure {
		return "__Host-console-" + name
	}
	return "console-" + name
}

// setCookie gives the browser a cookie that no script reads and no other site sends; ""
// takes it away.
func (v *visit) setCookie(name, value string, life time.Duration) {
	if value == "" {
		life = -time.Second
	}
	http.SetCookie(v.w, &http.Cookie{
		Name: v.cookieName(name), Value: value, Path: "/", MaxAge: int(life.Seconds()),
		HttpOnly: true, Secure: v.Secure, SameSite: http.SameSiteLaxMode,
	})
}

// cookie is what the browser sends by that name; "" is nothing.
func (v *visit) cookie(name string) string {
	found, err := v.r.Cookie(v.cookieName(name))
	if err != nil {
		return ""
	}
	return found.Value
}

// The names of the console's cookies: the refresh token of the sign-in, and what the next
// page has to say.
const (
	sessionCookie = "session"
	noteCookie    = "note"
)

// signedIn lets in operators, and has everybody else sign in.
func signedIn(next handler) handler {
	return func(v *visit) error {
		err := v.resume(v.cookie(sessionCookie))
		if marketplace.CodeOf(err) == marketplace.Unauthorized {
			return v.askToSignIn()
		}
		if err != nil {
			return err
		}
		err = next(v)
		if said := refused(err); said != nil && said.Status == http.StatusUnauthorized {
			return v.askToSignIn() // it has ended meanwhile
		}
		return err
	}
}

var errSignedOut = &marketplace.Error{Code: marketplace.Unauthorized, Message: "the sign-in has ended"}

// resume finds the sign-in of a refresh token. The error is Unauthorized where it has
// ended, or is not an operator's.
func (v *visit) resume(token string) (err error) {
	if token == "" {
		return errSignedOut
	}
	session, err := v.SignIn.Resume(v.r.Context(), token)
	if err != nil {
		return err
	}
	if session.Account.Role != marketplace.Operator || v.Now().Sub(session.Begun) >= sessionLife {
		return errSignedOut
	}
	v.session = session
	return nil
}

// askToSignIn leads to the way in, and from there back to where the operator was.
func (v *visit) askToSignIn() error {
	query := url.Values{}
	if v.cookie(sessionCookie) != "" {
		v.setCookie(sessionCookie, "", 0)
		query.Set("ended", "yes")
	}
	if v.r.Method == http.MethodGet {
		query.Set("to", v.r.URL.RequestURI())
	}
	return v.goTo(Path + "/signin?" + query.Encode())
}

// ours is an address of the console, or its front page where it is something else.
func ours(address string) string {
	to, err := url.Parse(address)
	if err != nil || to.Host != "" || to.Scheme != "" || !strings.HasPrefix(address, Path+"/") || !strings.HasPrefix(path.Clean(to.Path)+"/", Path+"/") {
		return Path + "/"
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
		field{Name: "email", Label: "E-mail", Kind: "email", Required: true, Complete: "username"},
		field{Name: "password", Label: "Password", Kind: "password", Required: true, Complete: "current-password"},
	)
}

func showSignIn(v *visit) error {
	query := v.r.URL.Query()
	return v.show(http.StatusOK, "signin.html", &signInPage{
		frame: frame{Page: "Sign in"}, Form: signInForm(nil), To: ours(query.Get("to")), Ended: query.Has("ended"),
	})
}

func signIn(v *visit) error {
	given, err := v.form()
	if err != nil {
		return err
	}
	f := signInForm(given)
	tokens, err := send[auth.Tokens](v, http.MethodPost, "/auth/login", map[string]string{"email": given.Get("email"), "password": given.Get("password")})
	if err == nil {
		if err = v.resume(tokens.RefreshToken); err == nil {
			v.setCookie(sessionCookie, tokens.RefreshToken, sessionLife)
			return v.goTo(ours(given.Get("to")))
		}
		_, _ = send[struct{}](v, http.MethodPost, "/auth/logout", map[string]string{"refresh_token": tokens.RefreshToken}) // it runs out by itself, too
		if marketplace.CodeOf(err) == marketplace.Unauthorized {
			err = &refusal{Status: http.StatusForbidden, Message: "This account is not an operator's: the console is for operators alone."}
		}
	}
	said := refused(err)
	if said == nil {
		return err
	}
	switch said.Status { // none of them is about a field
	case http.StatusUnauthorized:
		said.Details, said.Message = nil, "There is no account with this address and password, or it is locked."
	case http.StatusTooManyRequests:
		said.Details, said.Message = nil, "Too many sign-ins have failed. Try again in "+said.retryAfter+" seconds."
		v.w.Header().Set("Retry-After", said.retryAfter)
	}
	f.refuse(said)
	return v.show(said.Status, "signin.html", &signInPage{frame: frame{Page: "Sign in"}, Form: f, To: ours(given.Get("to"))})
}

func signOut(v *visit) error {
	if token := v.cookie(sessionCookie); token != "" {
		if err := v.SignIn.SignOut(v.r.Context(), token); err != nil {
			return err
		}
	}
	v.setCookie(sessionCookie, "", 0)
	return v.goTo(Path + "/signin")
}
