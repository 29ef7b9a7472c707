package settings

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"slices"
	"strings"
	"unicode"

	"github.com/spf13/pflag"

	"partnerkit.dev/conformance/internal/fileerror"
	"partnerkit.dev/conformance/internal/probe"
	"partnerkit.dev/internal/connection"
	"partnerkit.dev/schemas/partnerapi"
)

// The flags with the key, and with the name of the environment variable that has it.
const (
	AuthKeyFlag    = "auth-key"
	AuthKeyEnvFlag = "auth-key-env"
)

// AuthTypeUsage describes the flag --auth-type.
const AuthTypeUsage = "how the key is sent: bearer (\"Bearer <key>\") or api_key (the key alone)"

// Target is the partner to call, as flags give it.
type Target struct {
	BaseURL, AuthType, ClockURL, CAFile string
	ClientCert, ClientKey               string // files
	AuthKey, AuthKeyEnv                 string // the key, or the variable that has it
	PublicOnly                          bool
	Environment                         Environment
}

// Register adds all flags except --auth-type, whose default differs between commands.
func (t *Target) Register(flags *pflag.FlagSet) {
	flags.StringVar(&t.BaseURL, "base-url", "", "the partner's base `URL`")
	flags.StringVar(&t.AuthKey, AuthKeyFlag, "", "the `key` that the partner registered; prefer the environment variable "+probe.KeyVariable)
	flags.StringVar(&t.AuthKeyEnv, AuthKeyEnvFlag, probe.KeyVariable, "the environment `variable` that holds the key")
	flags.StringVar(&t.ClockURL, "clock-url", "", "a `URL` that reads and moves the partner's clock, to test the expiry of holds")
	flags.StringVar(&t.CAFile, "ca-file", "", "a PEM `file` of certificate authorities to trust in addition to the system's")
	flags.StringVar(&t.ClientCert, "client-cert", "", "a PEM `file` with the client certificate to send, if the partner requires one")
	flags.StringVar(&t.ClientKey, "client-key", "", "the PEM `file` with the private key of --client-cert")
	flags.BoolVar(&t.PublicOnly, "public-only", false, "call only public addresses: refuse addresses of this machine and of private networks, even if a name resolves to them")
}

// Key returns the partner's key, or "".
func (t Target) Key() string { return cmp.Or(t.AuthKey, t.Environment.Get(t.AuthKeyEnv)) }

// Address is a checked target.
type Address struct {
	BaseURL  *url.URL
	AuthType partnerapi.AuthType
	Roots    *x509.CertPool // nil: the system's certificates
	// Certificate is sent to a partner that asks for one; nil: none.
	Certificate *tls.Certificate
}

// Check returns the checked target. Its error names the flag and never shows the key.
func (t Target) Check() (address Address, err error) {
	if address.BaseURL, err = ParseBaseURL(t.BaseURL); err != nil {
		return address, err
	}
	if address.AuthType, err = parseAuthType(t.AuthType); err != nil {
		return address, err
	}
	if err = t.CheckKey(); err != nil {
		return address, err
	}
	if err = parseClockURL(t.ClockURL); err != nil {
		return address, err
	}
	if address.Roots, err = ReadRoots(t.CAFile); err != nil {
		return address, err
	}
	address.Certificate, err = connection.Files{CertFlag: "--client-cert", Cert: t.ClientCert, KeyFlag: "--client-key", Key: t.ClientKey}.Load()
	return address, err
}

// CheckKey checks that the key is valid in a header. The error never shows it.
func (t Target) CheckKey() error {
	key := t.Key()
	switch {
	case key == "" && t.AuthKeyEnv == "":
		return errors.New("--auth-key-env is empty: leave it out to use " + probe.KeyVariable)
	case key == "":
		return errors.New("the key is missing: set " + t.AuthKeyEnv + ", or give --auth-key")
	case strings.ContainsFunc(key, unicode.IsControl):
		return errors.New("the key contains a control character, such as a line break: check how it was copied")
	case strings.TrimSpace(key) != key:
		return errors.New("the key begins or ends with a space: check how it was copied")
	}
	return nil
}

func parseAuthType(text string) (partnerapi.AuthType, error) {
	if authType := partnerapi.AuthType(text); slices.Contains(partnerapi.AuthTypes(), authType) {
		return authType, nil
	}
	return "", fmt.Errorf("--auth-type %q: expected bearer or api_key", text)
}

// largestBundle is the largest file of certificates, in bytes. The system's own is a quarter of a
// megabyte.
const largestBundle = 16 << 20

// ReadRoots returns the system's certificate authorities and those in a PEM file; nil for "".
func ReadRoots(name string) (*x509.CertPool, error) {
	if name == "" {
		return nil, nil
	}
	text, err := readBundle(name)
	if err != nil {
		return nil, fmt.Errorf("--ca-file %s cannot be read (%w): give a PEM file of certificates", name, fileerror.Reason(err))
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("--ca-file %s holds no certificate: give a PEM file, with -----BEGIN CERTIFICATE----- in it", name)
	}
	return pool, nil
}

func readBundle(name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, largestBundle))
}
