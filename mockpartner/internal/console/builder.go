package console

import (
	"cmp"
	"net/http"
	"net/url"

	"partnerkit.dev/mockpartner/internal/platform"
	"partnerkit.dev/mockpartner/internal/sandbox"
)

// builder arranges one page.
type builder struct {
	console *Console
	request *http.Request
	box     *sandbox.Sandbox
	inside  platform.Inside
	choice  chosen
	refused refused
	placed  bool // the refusal stands at its form
}

// base is where the sandbox lies, as the browser sees it.
func (b *builder) base() string {
	scheme := "http"
	if b.request.TLS != nil {
		scheme = "https"
	}
	return scheme + "://" + b.request.Host + sandbox.Prefix(b.box.Name())
}

// call completes a call: with its curl line, and with the refusal if it was
// refused just now, and then with what was entered.
func (b *builder) call(c call) call {
	c.Action = b.choice.href()
	if c.ID == b.refused.id {
		c.Refusal, b.placed = b.refused.message, true
		for i, f := range c.Fields {
			if f.Kind == secretField {
				continue // it is entered again
			}
			entered := url.Values(b.refused.form).Get(f.Input())
			c.Fields[i].Checked = entered != ""
			c.Fields[i].Value = cmp.Or(entered, f.Value)
		}
	}
	body, _ := bodyOf(c.form()) // what is wrong with it is said when it is sent
	c.Curl = curl(c.Method, b.base()+b.console.Path+c.Path, body, b.console.Token)
	return c
}

// refused is a call that a form asked for in vain.
type refused struct {
	id      string
	message string
	form    map[string][]string
}
