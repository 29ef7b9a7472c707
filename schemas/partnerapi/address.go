package partnerapi

import "net/url"

// IsWebAddress reports whether a text is an http or https address, as the value of a PDF_URL should
// be (CNF-6).
func IsWebAddress(text string) bool {
	address, err := url.Parse(text)
	return err == nil && (address.Scheme == "https" || address.Scheme == "http") && address.Hostname() != ""
}
