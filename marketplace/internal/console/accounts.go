package console

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/gorilla/mux"

	"partnerkit.dev/marketplace/client"
)

var roles = []choice{{"reseller", "reseller: sells, and books"}, {"affiliate", "affiliate: refers customers"}, {"partner", "partner: registers its platform"}, {"operator", "operator: runs the marketplace"}}

func accountForm(given url.Values) *form {
	return newForm(given,
		field{Name: "email", Label: "Email", Kind: "email", Required: true},
		field{Name: "name", Label: "Name", Hint: "The shop or company, as people know it."},
		field{Name: "role", Label: "Role", Kind: "choice", Choices: roles},
		field{Name: "password", Label: "Password", Kind: "password", Required: true, Complete: "new-password", Hint: "At least ten characters."},
	)
}

// accountsPage lists accounts and open invitations.
type accountsPage struct {
	filteredPage[client.Account]
	Invite  *form
	Invited []client.Invitation
}

func listAccounts(x *exchange) error {
	return x.showAccounts(http.StatusOK, accountForm(nil), invitationForm(nil))
}

func (x *exchange) showAccounts(status int, f, invite *form) error {
	query := x.queryValues("role", "q")
	list, part, err := read[[]client.Account](x, "/operator/accounts", query)
	if err != nil {
		return err
	}
	invited, _, err := read[[]client.Invitation](x, "/operator/invitations", url.Values{"limit": {"100"}})
	if err != nil {
		return err
	}
	return x.show(status, "accounts.html", &accountsPage{Invite: invite, Invited: invited, filteredPage: filteredPage[client.Account]{
		listPage: listPage[client.Account]{frame{Page: "Accounts", Section: "accounts"}, list, x.newPager(part, root+"/accounts", query), f, len(query) > 0, query},
		Filter:   newFilter(query, field{Name: "q", Label: "Email or name", Kind: "search"}, anyOf("role", "Role", "all", "reseller", "affiliate", "partner", "operator")),
	}})
}

func createAccount(x *exchange) error {
	made, err := send[client.Account](x, http.MethodPost, "/operator/accounts", texts(x.given, "email", "name", "role", "password"))
	if err != nil {
		return refusedForm(err, accountForm(x.given), func(status int, f *form) error { return x.showAccounts(status, f, invitationForm(nil)) })
	}
	return x.done(root+"/accounts/"+made.ID, "Account created. "+made.Email+" may sign in.")
}

// texts returns some of a form's fields for a request's body.
func texts(given url.Values, names ...string) map[string]string {
	body := map[string]string{}
	for _, name := range names {
		body[name] = given.Get(name)
	}
	return body
}

type accountPage struct {
	frame
	client.AccountDetail
	Own   bool // the operator's own account
	Forms map[string]*form
}

// Address returns the account's page.
func (p *accountPage) Address() string { return root + "/accounts/" + p.ID }

// accountPage reads an account and builds a form for each field that can be changed.
func (x *exchange) accountPage() (*accountPage, error) {
	found, _, err := read[client.AccountDetail](x, "/operator/accounts/"+x.id(), nil)
	return &accountPage{
		frame: frame{Page: found.Email, Section: "accounts"}, AccountDetail: found, Own: found.ID == x.session.Account.ID.String(),
		Forms: map[string]*form{
			"name":     newForm(nil, field{Name: "name", Label: "Name", Value: found.Name}),
			"password": newForm(nil, field{Name: "password", Label: "New password", Kind: "password", Required: true, Complete: "new-password", Hint: "At least ten characters. This signs out every session."}),
			"token": newForm(nil, field{Name: "token", Label: "Purpose of the token", Required: true, Hint: "For example: web shop."},
				field{Name: "mode", Label: "Mode", Kind: "choice", Choices: modes, Hint: "A test token sees and books test integrations only."}),
		},
	}, err
}

func showAccount(x *exchange) error {
	p, err := x.accountPage()
	if err != nil {
		return err
	}
	return x.show(http.StatusOK, "account.html", p)
}

// change makes a call with a form's text, and shows the account's page with a note or with the
// form's errors.
func (x *exchange) change(name string, call func(text string) (note, error)) error {
	given := x.given
	done, err := call(given.Get(name))
	if problem := asRefusal(err); problem != nil && problem.Status == http.StatusBadRequest {
		p, err := x.accountPage()
		if err != nil {
			return err
		}
		f := p.Forms[name]
		if f.Fields[0].Kind != "password" { // a password must be entered again
			f.Fields[0].Value = given.Get(name)
		}
		f.refuse(problem)
		return x.show(http.StatusUnprocessableEntity, "account.html", p)
	}
	if err != nil {
		return err
	}
	if err := x.say(done); err != nil {
		return err
	}
	return x.goTo(root + "/accounts/" + x.id())
}

func (x *exchange) changeAccount(body any) (client.AccountDetail, error) {
	return send[client.AccountDetail](x, http.MethodPatch, "/operator/accounts/"+x.id(), body)
}

// setAccount changes one text field of an account.
func setAccount(name, words string) handler {
	return func(x *exchange) error {
		return x.change(name, func(text string) (note, error) {
			_, err := x.changeAccount(map[string]string{name: text})
			return note{Words: words}, err
		})
	}
}

func createToken(x *exchange) error {
	return x.change("token", func(text string) (note, error) {
		made, err := send[client.MadeToken](x, http.MethodPost, "/operator/accounts/"+x.id()+"/api-tokens", map[string]string{"name": text, "mode": x.given.Get("mode")})
		if problem := asRefusal(err); problem != nil {
			for i, detail := range problem.Details {
				problem.Details[i] = strings.Replace(detail, "name: ", "token: ", 1)
			}
		}
		return note{Words: "Token created. It is shown only once. Send it in the header x-api-token:", Secret: string(made.Token)}, err
	})
}

func askToRevoke(x *exchange) error {
	p, err := x.accountPage()
	if err != nil {
		return err
	}
	for _, token := range p.APITokens {
		if token.ID == mux.Vars(x.r)["token"] {
			return x.confirm("Revoke the token "+token.Name, "accounts", confirmPage{
				Says: []string{"Requests with this token are refused immediately and permanently."},
				Do:   "Revoke the token", Action: p.Address() + "/tokens/" + token.ID + "/revoke", Back: p.Address(),
			})
		}
	}
	return &refusal{Status: http.StatusNotFound, Message: "token not found"}
}

func revokeToken(x *exchange) error {
	return x.act(root+"/accounts/"+x.id(), func() (string, error) {
		_, err := send[struct{}](x, http.MethodDelete, "/operator/accounts/"+x.id()+"/api-tokens/"+mux.Vars(x.r)["token"], nil)
		return "Token revoked.", err
	})
}

func askToLock(x *exchange) error {
	p, err := x.accountPage()
	if err != nil {
		return err
	}
	return x.confirm("Disable "+p.Email, "accounts", confirmPage{
		Do: "Disable account", Action: p.Address() + "/lock", Back: p.Address(),
		Says: []string{"This signs out every session and refuses its tokens until you enable it.", "Its bookings and integrations do not change."},
	})
}

// lock disables or enables an account.
func lock(out bool, words string) handler {
	return func(x *exchange) error {
		return x.act(root+"/accounts/"+x.id(), func() (string, error) {
			_, err := x.changeAccount(map[string]bool{"disabled": out})
			return words, err
		})
	}
}
