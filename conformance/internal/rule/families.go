package rule

import (
	"fmt"

	"partnerkit.dev/schemas/partnerapi"
)

// Every endpoint answers the same questions about its content type, its
// credentials and its limit; these families keep their words in one place.

// field is a rule about a field of the catalog or of a slot.
func field(id, clause, title, why, fix string) Rule {
	r := must(id, clause, title).why(why).fix(fix)
	return r.needs(string(r.Endpoint) + ".shape")
}

func contentType(e partnerapi.Endpoint, needs ...string) Rule {
	return should(string(e)+".content-type", "GEN-1", "The answer is declared as JSON").needs(needs...).
		why("Proxies and client libraries decide by the content type whether to read, cache or rewrite a body.").
		fix("Send Content-Type: application/json with every JSON body.")
}

func wrongKey(e partnerapi.Endpoint, needs ...string) Rule {
	return must(string(e)+".auth.wrong-key", "AUTH-2", "A wrong key is answered with 401").needs(needs...).
		why("The marketplace tells a revoked or mistyped key by its 401; without it anybody may act in its name.").
		fix(fmt.Sprintf("Check the Authorization header on the %s endpoint before anything else, and answer 401.", e))
}

func missingKey(e partnerapi.Endpoint) Rule {
	return must(string(e)+".auth.missing-key", "AUTH-3", "A request without a key is answered with 401").needs(string(e) + ".auth.wrong-key").
		why("An endpoint that lets a request without credentials through is open to everybody.").
		fix(fmt.Sprintf("Answer 401 on the %s endpoint where the Authorization header is absent or empty.", e))
}

func authNoEffect(e partnerapi.Endpoint, title, why string, needs ...string) Rule {
	return must(string(e)+".auth.no-effect", "AUTH-5", title).
		needs(append([]string{string(e) + ".auth.wrong-key", string(e) + ".auth.missing-key"}, needs...)...).
		why(why).
		fix("Check the credentials before the work, not after it: a 401 must leave no trace.")
}

func limit(e partnerapi.Endpoint) Rule {
	return must(string(e)+".limit", "LIM-1", fmt.Sprintf("The whole answer arrives within %.0f s", e.Timeout(partnerapi.Healthy).Seconds())).
		why("The marketplace hangs up when the limit has passed: the answer is lost, and counts against the partner's health.").
		fix("Answer from data at hand; move slow work (mails, other systems, reports) behind the answer.")
}
