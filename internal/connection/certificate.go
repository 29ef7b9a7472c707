package connection

import (
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// Files are the flags and the PEM files of a certificate and its private key.
type Files struct{ CertFlag, Cert, KeyFlag, Key string }

// Load returns the certificate, or nil if no file is named. Its error names the flags.
func (f Files) Load() (*tls.Certificate, error) {
	if f.Cert == "" && f.Key == "" {
		return nil, nil
	}
	if f.Cert == "" || f.Key == "" {
		return nil, fmt.Errorf("%s and %s belong together: give both", f.CertFlag, f.KeyFlag)
	}
	certificate, err := tls.LoadX509KeyPair(f.Cert, f.Key)
	if err != nil {
		return nil, fmt.Errorf("%s %s and %s %s cannot be used (%w): give PEM files of a certificate and its key", f.CertFlag, f.Cert, f.KeyFlag, f.Key, withoutPath(err))
	}
	return &certificate, nil
}

// LoadAuthorities returns the certificates in the PEM file that a flag names.
func LoadAuthorities(flag, file string) (*x509.CertPool, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("%s %s cannot be read (%w): give a PEM file of certificates", flag, file, withoutPath(err))
	}
	pool := x509.NewCertPool()
	if !pool.AppendCertsFromPEM(text) {
		return nil, fmt.Errorf("%s %s holds no certificate: give a PEM file, with -----BEGIN CERTIFICATE----- in it", flag, file)
	}
	return pool, nil
}

// withoutPath drops the path from a file's error, which the message has already.
func withoutPath(err error) error {
	if inside := (*fs.PathError)(nil); errors.As(err, &inside) {
		return inside.Err
	}
	return err
}
