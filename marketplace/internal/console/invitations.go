package console

import (
	"net/http"
	"net/url"

	"github.com/gorilla/mux"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/api"
	"partnerkit.dev/marketplace/internal/domain"
)

func invitationForm(given url.Values) *form {
	f := newForm(given,
		field{Name: "email", Label: "Email", Kind: "email", Required: true},
		field{Name: "name", Label: "Name", Hint: "The company, as people know it."},
	)
	for i := range f.Fields {
		f.Fields[i].of = "invited-"
	}
	return f
}

// invite creates an invitation and shows its link once.
func invite(x *exchange) error {
	made, err := send[client.MadeInvitation](x, http.MethodPost, "/operator/invitations", texts(x.given, "email", "name"))
	if err != nil {
		return refusedForm(err, invitationForm(x.given), func(status int, f *form) error { return x.showAccounts(status, accountForm(nil), f) })
	}
	if err := x.say(note{Words: "Send this link to " + made.Email + ". It works once, for seven days, and is shown only now:", Secret: string(made.URL)}); err != nil {
		return err
	}
	return x.goTo(root + "/accounts#invitations-title")
}

func uninvite(x *exchange) error {
	return x.act(root+"/accounts#invitations-title", func() (string, error) {
		_, err := send[struct{}](x, http.MethodDelete, "/operator/invitations/"+x.id(), nil)
		return "Invitation revoked. Its link no longer works.", err
	})
}

// invitedPage lets an invited partner set a password.
type invitedPage struct {
	frame
	Email string
	Form  *form
}

func passwordForm(given url.Values) *form {
	return newForm(given, field{Name: "password", Label: "Password", Kind: "password", Required: true, Complete: "new-password", Hint: "At least ten characters."})
}

// errNotInvited is the error for every link that is not valid.
var errNotInvited = &refusal{Status: http.StatusNotFound, Message: "this invitation was used or revoked, or has expired; ask the marketplace for another one"}

func showInvitation(x *exchange) error { return x.showInvitation(http.StatusOK, passwordForm(nil)) }

func (x *exchange) showInvitation(status int, f *form) error {
	invited, err := x.SignIn.FindInvitation(x.r.Context(), mux.Vars(x.r)["token"])
	if domain.CodeOf(err) == domain.NotFound {
		return errNotInvited
	}
	if err != nil {
		return err
	}
	return x.show(status, "invited.html", &invitedPage{frame{Page: "Welcome"}, invited.Email, f})
}

// acceptInvitation creates the account and signs in.
func acceptInvitation(x *exchange) error {
	made, err := x.SignIn.Accept(x.r.Context(), mux.Vars(x.r)["token"], x.given.Get("password"))
	switch domain.CodeOf(err) {
	case domain.NotFound:
		return errNotInvited
	case domain.Conflict:
		return &refusal{Status: http.StatusConflict, Message: "there is an account with this address already; sign in with its password"}
	case domain.Invalid:
		f := passwordForm(x.given)
		f.refuse(refusalOf(err))
		return x.showInvitation(http.StatusUnprocessableEntity, f)
	}
	if err != nil {
		return err
	}
	token, err := x.SignIn.BeginSession(x.r.Context(), made.Email, x.given.Get("password"), api.CallerAddress(x.r))
	if err != nil {
		return x.goTo(portalRoot + "/signin")
	}
	x.cookies.set(sessionCookie, token, sessionLife)
	return x.goTo(portalRoot + "/integrations")
}
