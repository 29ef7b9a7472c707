package conformance

import (
	"crypto"
	"crypto/ed25519"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"time"

	"github.com/go-jose/go-jose/v4"

	"partnerkit.dev/marketplace/internal/auth"
	"partnerkit.dev/marketplace/internal/domain"
)

// ValidFor is how long a certificate is valid unless a later run finds a breach.
const ValidFor = 90 * 24 * time.Hour

// certificateType distinguishes certificates from other signed statements.
const certificateType = "conformance-certificate+jwt"

// Certificate states that an integration's partner was found conformant. It is signed and can be
// verified without the service.
type Certificate struct {
	Settings   domain.JudgedSettings // that were tested
	JWS        string                // the signed statement, in compact form
	IssuedAt   time.Time
	ValidUntil time.Time
}

// statement is the content of a certificate. Its first fields are standard JWT claims.
type statement struct {
	Subject   string `json:"sub"` // the integration
	ID        string `json:"jti"` // the run
	IssuedAt  int64  `json:"iat"`
	ExpiresAt int64  `json:"exp"`
	Name      string `json:"name"` // the partner's name, for people
	domain.JudgedSettings
	Verdict         string         `json:"verdict"`
	SuiteVersion    string         `json:"suite_version"`
	ContractVersion string         `json:"contract_version"`
	Counts          map[string]int `json:"counts"`        // of the rules, by outcome
	ReportSHA256    string         `json:"report_sha256"` // of report.json
}

// Signer signs certificates and their revocations with a key that every replica derives from the
// service's secret. It is safe for concurrent use.
type Signer struct {
	certificates, revocations jose.Signer
	keys                      []byte
}

// NewSigner returns the signer for a service's secret.
func NewSigner(s *auth.Secret) (*Signer, error) {
	private := ed25519.NewKeyFromSeed(s.Key("conformance certificates"))
	public := jose.JSONWebKey{Key: private.Public(), Algorithm: string(jose.EdDSA), Use: "sig"}
	print, err := public.Thumbprint(crypto.SHA256)
	if err != nil {
		return nil, fmt.Errorf("name the key of certificates: %w", err)
	}
	public.KeyID = base64.RawURLEncoding.EncodeToString(print)
	signer := func(of jose.ContentType) (jose.Signer, error) {
		return jose.NewSigner(jose.SigningKey{Algorithm: jose.EdDSA, Key: private}, (&jose.SignerOptions{}).WithType(of).WithHeader("kid", public.KeyID))
	}
	certificates, err := signer(certificateType)
	if err != nil {
		return nil, fmt.Errorf("sign certificates: %w", err)
	}
	revocations, err := signer(revocationsType)
	if err != nil {
		return nil, fmt.Errorf("sign revocations: %w", err)
	}
	keys, err := json.Marshal(jose.JSONWebKeySet{Keys: []jose.JSONWebKey{public}})
	return &Signer{certificates, revocations, keys}, err
}

// Keys returns the JSON Web Key Set that verifies certificates and revocations.
func (s *Signer) Keys() []byte { return s.keys }

// certify returns the certificate for a run that found an integration's partner conformant.
func (s *Signer) certify(i domain.Integration, run Run, came Result, report string, now time.Time) (*Certificate, error) {
	now = now.UTC().Truncate(time.Second)
	c := &Certificate{Settings: i.JudgedSettings(), IssuedAt: now, ValidUntil: now.Add(ValidFor)}
	var err error
	c.JWS, err = sign(s.certificates, statement{
		Subject: i.ID.String(), ID: run.ID.String(), IssuedAt: c.IssuedAt.Unix(), ExpiresAt: c.ValidUntil.Unix(),
		Name: i.Name, JudgedSettings: c.Settings, Verdict: came.Verdict, SuiteVersion: came.SuiteVersion, ContractVersion: came.ContractVersion,
		Counts: came.Counts, ReportSHA256: report,
	})
	return c, err
}

// sign returns a statement as a compact JWS.
func sign(by jose.Signer, statement any) (string, error) {
	text, err := json.Marshal(statement)
	if err != nil {
		return "", err
	}
	signed, err := by.Sign(text)
	if err != nil {
		return "", fmt.Errorf("sign a statement: %w", err)
	}
	return signed.CompactSerialize()
}
