package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"partnerkit.dev/marketplace/internal/auth"
)

// loadSecret returns the secret that was given, else the one in the data folder, which
// is made where there is none. The last word is what was done, for the log.
func loadSecret(s settings) (_ *auth.Secret, origin string, err error) {
	if s.secretKey != "" {
		key, err := auth.NewSecret([]byte(s.secretKey))
		return key, "given", err
	}
	if err := s.makeDataDir(); err != nil {
		return nil, "", err
	}
	path := filepath.Join(s.dataDir, "secret-key")
	text, err := os.ReadFile(path)
	if err == nil {
		key, err := auth.NewSecret(text)
		if err != nil {
			return nil, "", fmt.Errorf("%s: %w: it is not what the service has put there", path, err)
		}
		return key, path, nil
	}
	if !errors.Is(err, os.ErrNotExist) {
		return nil, "", inDataDir(path, err)
	}
	made := auth.NewToken()
	// O_EXCL: of two services that start together one makes it.
	file, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return nil, "", inDataDir(path, err)
	}
	_, wrote := file.WriteString(made)
	if err := errors.Join(wrote, file.Sync(), file.Close()); err != nil {
		return nil, "", fmt.Errorf("keep the service's secret: %w", err)
	}
	key, err := auth.NewSecret([]byte(made))
	return key, path + ", made now", err
}
