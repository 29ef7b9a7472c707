package console

import (
	"fmt"
	"html"
	"net/http"
	"net/url"

	"partnerkit.dev/marketplace/client"
	"partnerkit.dev/marketplace/internal/registry"
)

// askToJoinRegistry says what everyone will see.
func askToJoinRegistry(x *exchange) error {
	found, err := x.integration()
	if err != nil {
		return err
	}
	return x.confirm("Show "+found.Name+" in the public registry", "integrations", confirmPage{
		Back: found.Address(), Do: "Show in the public registry", Action: found.Address() + "/registry", Harmless: true,
		Says: []string{
			"Everyone sees, without signing in, the name, the base URL, the contract version, and since when and until when the certificate is valid.",
			"The signed statement also contains how the key is sent, whether the platform delivers tickets, how many rules had each outcome, and the id of the integration. It never contains the key.",
			"You get a badge for a website. When the certificate ends, the entry disappears and the badge says so.",
			"You can remove it at any time. Others may have stored the signed statement by then.",
		},
	})
}

func joinRegistry(x *exchange) error {
	return x.setInRegistry(http.MethodPut, "The public registry shows it. Other pages and caches may take a minute.")
}

func leaveRegistry(x *exchange) error {
	return x.setInRegistry(http.MethodDelete, "Removed from the public registry. Caches may show it for another minute.")
}

func (x *exchange) setInRegistry(method, words string) error {
	return x.act(x.site.Root+"/integrations/"+x.id()+"#runs-title", func() (string, error) {
		_, err := send[client.Integration](x, method, "/partner-integrations/"+x.id()+"/registry", nil)
		return words, err
	})
}

// badge returns the HTML that shows an integration's badge on another website. Its address has the host that
// the browser used.
func (x *exchange) badge(i client.Integration) string {
	here := url.URL{Scheme: "http", Host: x.r.Host}
	if x.Secure {
		here.Scheme = "https"
	}
	entry, image := here, here
	entry.Path, entry.RawQuery = "/registry", url.Values{"q": {i.Name}}.Encode()
	image.Path = registry.BadgePath(i.ID)
	return fmt.Sprintf(`<a href="%s"><img src="%s" alt="Conformance badge of %s" height="22"></a>`, html.EscapeString(entry.String()), html.EscapeString(image.String()), html.EscapeString(i.Name))
}
