package rule

import (
	"fmt"

	"partnerkit.dev/schemas/partnerapi"
)

// Every endpoint answers the same questions about its content type, its
// credentials and its limit; these families keep their words in one place.

func contentType(e partnerapi.Endpoint, needs ...string) Rule {
	return Rule{
		ID: string(e) + ".content-type", Level: Should, Endpoint: e, Clause: "GEN-1", Needs: needs,
		Title: "The answer is declared as JSON",
		Why:   "Proxies and client libraries decide by the content type whether to read, cache or rewrite a body.",
		Fix:   "Send Content-Type: application/json with every JSON body.",
	}
}

func wrongKey(e partnerapi.Endpoint, needs ...string) Rule {
	return Rule{
		ID: string(e) + ".auth.wrong-key", Level: Must, Endpoint: e, Clause: "AUTH-2", Needs: needs,
		Title: "A wrong key is answered with 401",
		Why:   "The marketplace tells a revoked or mistyped key by its 401; without it anybody may act in its name.",
		Fix:   fmt.Sprintf("Check the Authorization header on the %s endpoint before anything else, and answer 401.", e),
	}
}

func missingKey(e partnerapi.Endpoint) Rule {
	return Rule{
		ID: string(e) + ".auth.missing-key", Level: Must, Endpoint: e, Clause: "AUTH-3",
		Needs: []string{string(e) + ".auth.wrong-key"},
		Title: "A request without a key is answered with 401",
		Why:   "An endpoint that lets a request without credentials through is open to everybody.",
		Fix:   fmt.Sprintf("Answer 401 on the %s endpoint where the Authorization header is absent or empty.", e),
	}
}

func authNoEffect(e partnerapi.Endpoint, title, why string, needs ...string) Rule {
	return Rule{
		ID: string(e) + ".auth.no-effect", Level: Must, Endpoint: e, Clause: "AUTH-5",
		Needs: append([]string{string(e) + ".auth.wrong-key", string(e) + ".auth.missing-key"}, needs...),
		Title: title, Why: why,
		Fix: "Check the credentials before the work, not after it: a 401 must leave no trace.",
	}
}

func limit(e partnerapi.Endpoint) Rule {
	return Rule{
		ID: string(e) + ".limit", Level: Must, Endpoint: e, Clause: "LIM-1",
		Title: fmt.Sprintf("The whole answer arrives within %.0f s", e.Timeout(partnerapi.Healthy).Seconds()),
		Why:   "The marketplace hangs up when the limit has passed: the answer is lost, and counts against the partner's health.",
		Fix:   "Answer from data at hand; move slow work (mails, other systems, reports) behind the answer.",
	}
}
