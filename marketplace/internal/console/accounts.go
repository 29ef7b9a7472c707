package console

import (
	"net/http"
	"net/url"
	"strings"

	"partnerkit.dev/marketplace/client"
)

var roles = []choice{{"reseller", "reseller: sells, and books"}, {"affiliate", "affiliate: refers customers"}, {"partner", "partner: registers its platform"}, {"operator", "operator: runs the marketplace"}}

type accountsPage struct {
	frame
	List     []client.Account
	Pager    pager
	Filter   *form
	Filtered bool
	Form     *form // for a new one
}

func accountForm(given url.Values) *form {
	return newForm(given,
		field{Name: "email", Label: "E-mail", Kind: "email", Required: true},
		field{Name: "name", Label: "Name", Hint: "For people: the shop, or the company."},
		field{Name: "role", Label: "Role", Kind: "choice", Choices: roles},
		field{Name: "password", Label: "Password", Kind: "password", Required: true, Complete: "new-password", Hint: "Ten letters or more."},
	)
}

func listAccounts(v *visit) error { return v.showAccounts(http.StatusOK, accountForm(nil)) }

func (v *visit) showAccounts(status int, f *form) error {
	query := v.asked("role", "q")
	list, part, err := get[[]client.Account](v, "/operator/accounts", query)
	if err != nil {
		return err
	}
	return v.show(status, "accounts.html", &accountsPage{
		frame: frame{Page: "Accounts", Section: "accounts"}, List: list, Pager: newPager(part, Path+"/accounts", query), Filtered: len(query) > 0, Form: f,
		Filter: newForm(query, field{Name: "q", Label: "E-mail or name", Kind: "search"}, anyOf("role", "Role", "all", "reseller", "affiliate", "partner", "operator")),
	})
}

func createAccount(v *visit) error {
	given, err := v.form()
	if err != nil {
		return err
	}
	made, err := send[client.Account](v, http.MethodPost, "/operator/accounts", texts(given, "email", "name", "role", "password"))
	if said := refused(err); said != nil && (said.Status == http.StatusBadRequest || said.Status == http.StatusConflict) {
		f := accountForm(given)
		f.refuse(said)
		return v.showAccounts(http.StatusUnprocessableEntity, f)
	}
	if err != nil {
		return err
	}
	return v.done(Path+"/accounts/"+made.ID, "The account is made. "+made.Email+" may sign in.")
}

// texts are some of a form's fields, as a body has them.
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
	Own   bool // the operator's
	Forms map[string]*form
}

// Address is the account's page.
func (p *accountPage) Address() string { return Path + "/accounts/" + p.ID }

// accountPage reads an account, with a form for each thing that can be changed of it.
func (v *visit) accountPage() (*accountPage, error) {
	found, _, err := get[client.AccountDetail](v, "/operator/accounts/"+v.id(), nil)
	return &accountPage{
		frame: frame{Page: found.Email, Section: "accounts"}, AccountDetail: found, Own: found.ID == v.session.Account.ID.String(),
		Forms: map[string]*form{
			"name":     newForm(nil, field{Name: "name", Label: "Name", Value: found.Name}),
			"password": newForm(nil, field{Name: "password", Label: "New password", Kind: "password", Required: true, Complete: "new-password", Hint: "Ten letters or more. All of its sign-ins end."}),
			"token":    newForm(nil, field{Name: "token", Label: "What the new token is for", Required: true, Hint: "Such as: web shop."}),
		},
	}, err
}

func showAccount(v *visit) error {
	p, err := v.accountPage()
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, "account.html", p)
}

// change makes a call with one text of a form, and shows the account's page: with what was
// done, or with what is wrong at that form.
func (v *visit) change(name string, call func(text string) (note, error)) error {
	given, err := v.form()
	if err != nil {
		return err
	}
	done, err := call(given.Get(name))
	if said := refused(err); said != nil && said.Status == http.StatusBadRequest {
		p, err := v.accountPage()
		if err != nil {
			return err
		}
		f := p.Forms[name]
		if f.Fields[0].Kind != "password" { // which is entered again
			f.Fields[0].Value = given.Get(name)
		}
		f.refuse(said)
		return v.show(http.StatusUnprocessableEntity, "account.html", p)
	}
	if err != nil {
		return err
	}
	if err := v.say(done); err != nil {
		return err
	}
	return v.goTo(Path + "/accounts/" + v.id())
}

func (v *visit) changeAccount(body any) (client.AccountDetail, error) {
	return send[client.AccountDetail](v, http.MethodPatch, "/operator/accounts/"+v.id(), body)
}

func nameAccount(v *visit) error {
	return v.change("name", func(text string) (note, error) {
		_, err := v.changeAccount(map[string]string{"name": text})
		return note{Words: "The name is changed."}, err
	})
}

func setPassword(v *visit) error {
	return v.change("password", func(text string) (note, error) {
		_, err := v.changeAccount(map[string]string{"password": text})
		return note{Words: "The password is changed, and all sign-ins of the account have ended."}, err
	})
}

func createToken(v *visit) error {
	return v.change("token", func(text string) (note, error) {
		made, err := send[struct {
			Text string `json:"api_token"`
		}](v, http.MethodPost, "/operator/accounts/"+v.id()+"/api-tokens", map[string]string{"name": text})
		if said := refused(err); said != nil {
			for i, detail := range said.Details {
				said.Details[i] = strings.Replace(detail, "name: ", "token: ", 1)
			}
		}
		return note{Words: "The token is made. It is shown this once, and goes into the header x-api-token:", Secret: made.Text}, err
	})
}

func askToRevoke(v *visit) error {
	p, err := v.accountPage()
	if err != nil {
		return err
	}
	for _, token := range p.APITokens {
		if token.ID == v.r.PathValue("token") {
			return v.show(http.StatusOK, "sure.html", &surePage{
				frame: frame{Page: "Revoke the token " + token.Name, Section: "accounts"}, Says: []string{"Whoever uses it is refused at once, for good."},
				Do: "Revoke the token", Action: p.Address() + "/tokens/" + token.ID + "/revoke", Back: p.Address(),
			})
		}
	}
	return &refusal{Status: http.StatusNotFound, Message: "token not found"}
}

func revokeToken(v *visit) error {
	return v.act(Path+"/accounts/"+v.id(), func() (string, error) {
		_, err := send[struct{}](v, http.MethodDelete, "/operator/accounts/"+v.id()+"/api-tokens/"+url.PathEscape(v.r.PathValue("token")), nil)
		return "The token is revoked.", err
	})
}

func askToLock(v *visit) error {
	p, err := v.accountPage()
	if err != nil {
		return err
	}
	return v.show(http.StatusOK, "sure.html", &surePage{
		frame: frame{Page: "Lock " + p.Email + " out", Section: "accounts"}, Do: "Lock it out", Action: p.Address() + "/lock", Back: p.Address(),
		Says: []string{"Its sign-ins end, and its tokens are refused, until it is let in again.", "Its bookings and integrations stay as they are."},
	})
}

// lock locks an account out, or lets it in again.
func lock(out bool, words string) handler {
	return func(v *visit) error {
		return v.act(Path+"/accounts/"+v.id(), func() (string, error) {
			_, err := v.changeAccount(map[string]bool{"disabled": out})
			return words, err
		})
	}
}
