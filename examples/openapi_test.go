package examples_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"partnerkit.dev/schemas/openapi"
)

// The usual linters of OpenAPI documents. These versions run on Node.js 18, which is in Debian 12.
const (
	redocly  = "@redocly/cli@1.34.5"
	spectral = "@stoplight/spectral-cli@6.16.3"
)

func TestOtherMakersLintersAcceptTheOpenAPIDocuments(t *testing.T) {
	t.Parallel()
	requires(t, []string{"npm", "--version"})
	folder := t.TempDir()
	var files []string
	for _, document := range []string{openapi.Marketplace, openapi.Partner, "openapi/mock.yaml"} {
		text, err := openapi.Bundle(document)
		file := filepath.Base(document)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, file), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	for _, config := range []string{"redocly.yaml", "spectral.yaml"} {
		text, err := os.ReadFile(filepath.Join("openapi", config))
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, config), text, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	for linter, command := range map[string][]string{
		"Redocly":  append([]string{"npx", "--yes", redocly, "lint", "--config", "redocly.yaml", "--format", "summary"}, files...),
		"Spectral": append([]string{"npx", "--yes", spectral, "lint", "--ruleset", "spectral.yaml", "--fail-severity", "warn"}, files...),
	} {
		t.Run(linter, func(t *testing.T) {
			t.Parallel()
			if said := run(t, folder, []string{"REDOCLY_TELEMETRY=off"}, command...); strings.Contains(said, "warning") {
				t.Errorf("Expected no warning, received:\n%s", said)
			}
		})
	}
}
