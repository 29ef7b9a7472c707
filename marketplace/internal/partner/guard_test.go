package partner_test

import (
	"testing"

	"partnerkit.dev/marketplace/internal/partner"
)

func TestABaseURLIsAPublicAddressInOneForm(t *testing.T) {
	t.Parallel()
	guard := partner.NewGuard(false)
	for text, want := range map[string]string{
		"https://partner.example":              "https://partner.example",
		"https://Partner.Example/":             "https://partner.example",
		"http://partner.example:8443/v2/":      "http://partner.example:8443/v2",
		"https://partner.example/a%2Fb/":       "https://partner.example/a%2Fb",
		"https://93.184.215.14/api":            "https://93.184.215.14/api",
		"https://[2606:2800:21f:cb07::1]/api":  "https://[2606:2800:21f:cb07::1]/api",
		"https://localhost.partner.example/v1": "https://localhost.partner.example/v1",
		"https://partner.example:443":          "https://partner.example",
		"http://partner.example:80/":           "http://partner.example",
		"http://partner.example:443":           "http://partner.example:443",
		"https://partner.example:":             "https://partner.example",
		"https://partner.example.":             "https://partner.example",
		"HTTPS://partner.example":              "https://partner.example",
		"https://bücher.example":               "https://xn--bcher-kva.example",
		"https://BÜCHER.example.:443/":         "https://xn--bcher-kva.example",
		"https://[2606:2800:21f:cb07:0::0001]": "https://[2606:2800:21f:cb07::1]",
		"https://[2606:2800::1]:8443":          "https://[2606:2800::1]:8443",
		"https://my_partner.example":           "https://my_partner.example",
	} {
		if got, err := guard.ParseBaseURL(text); err != nil || got.String() != want {
			t.Errorf("%s: want %s, got %v and %v", text, want, got, err)
		}
	}
}

func TestABaseURLThatLeadsInsideIsRefused(t *testing.T) {
	t.Parallel()
	guard := partner.NewGuard(false)
	for name, text := range map[string]string{
		"nothing":                  "",
		"no scheme":                "partner.example",
		"another scheme":           "ftp://partner.example",
		"no host":                  "https:///path",
		"opaque":                   "https:partner.example",
		"a user":                   "https://me@partner.example",
		"a password":               "https://me:secret@partner.example",
		"a query":                  "https://partner.example?a=b",
		"an empty query":           "https://partner.example?",
		"a fragment":               "https://partner.example#a",
		"an empty fragment":        "https://partner.example#",
		"loopback":                 "http://127.0.0.1",
		"all of loopback":          "http://127.255.1.2:8080",
		"any address":              "http://0.0.0.0",
		"ten":                      "http://10.1.2.3",
		"172.16":                   "http://172.31.0.1",
		"192.168":                  "http://192.168.1.1",
		"carrier's":                "http://100.64.0.1",
		"link-local":               "http://169.254.1.1",
		"metadata":                 "http://169.254.169.254/latest",
		"multicast":                "http://224.0.0.1",
		"broadcast":                "http://255.255.255.255",
		"documentation":            "http://192.0.2.1",
		"IPv6 loopback":            "http://[::1]:8080",
		"IPv6 unspecified":         "http://[::]",
		"IPv6 unique local":        "http://[fd00::1]",
		"IPv6 link-local":          "http://[fe80::1]",
		"IPv6 with a zone":         "http://[fe80::1%25eth0]",
		"IPv4-mapped":              "http://[::ffff:127.0.0.1]",
		"IPv4-mapped, in hex":      "http://[::ffff:7f00:1]",
		"NAT64":                    "http://[64:ff9b::127.0.0.1]",
		"6to4":                     "http://[2002:7f00:1::]",
		"Teredo":                   "http://[2001:0:7f00:1::]",
		"AWS metadata over IPv6":   "http://[fd00:ec2::254]",
		"IPv4-compatible":          "http://[::127.0.0.1]",
		"NAT64 of a network":       "http://[64:ff9b:1::7f00:1]",
		"discard":                  "http://[100::1]",
		"documentation over IPv6":  "http://[2001:db8::1]",
		"site-local":               "http://[fec0::1]",
		"IPv6 multicast":           "http://[ff02::1]",
		"benchmarking":             "http://198.18.0.1",
		"reserved":                 "http://240.0.0.1",
		"Oracle metadata":          "http://192.0.0.192",
		"Alibaba metadata":         "http://100.100.100.200",
		"Azure's wire server":      "http://168.63.129.16",
		"wide digits":              "http://１２７.０.０.１",
		"wide dots":                "http://127。0。0。1",
		"circled digits":           "http://①②⑦.0.0.1",
		"escaped digits":           "http://%31%32%37.0.0.1",
		"a dot behind":             "http://127.0.0.1.",
		"nothing but a dot":        "http://.",
		"a port beyond":            "https://partner.example:65536",
		"port 0":                   "https://partner.example:0",
		"a user that is a host":    "https://partner.example@127.0.0.1",
		"a broken name":            "https://xn--\u00fc.example",
		"decimal":                  "http://2130706433",
		"decimal, with a dot":      "http://2130706433.",
		"octal":                    "http://0177.0.0.1",
		"hexadecimal":              "http://0x7f000001",
		"hexadecimal parts":        "http://0x7f.0.0.1",
		"short":                    "http://127.1",
		"short, with a dot behind": "http://127.1.",
	} {
		if got, err := guard.ParseBaseURL(text); err == nil {
			t.Errorf("%s: want %s refused, got %s", name, text, got)
		}
	}
}

func TestPrivateAddressesAreForDevelopment(t *testing.T) {
	t.Parallel()
	guard := partner.NewGuard(true)
	if got, err := guard.ParseBaseURL("http://127.0.0.1:8081"); err != nil || got.Host != "127.0.0.1:8081" {
		t.Errorf("want it allowed, got %v and %v", got, err)
	}
	if _, err := guard.ParseBaseURL("http://me@127.0.0.1:8081"); err == nil {
		t.Error("want the form still judged")
	}
}
