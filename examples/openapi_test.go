package examples_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"partnerkit.dev/internal/sourcetest"
	"partnerkit.dev/internal/tooltest"
	"partnerkit.dev/schemas/openapi"
)

// The usual linters of OpenAPI documents. These versions run on Node.js 18, which is in Debian 12.
const (
	redocly  = "@redocly/cli@1.34.5"
	spectral = "@stoplight/spectral-cli@6.16.3"
)

// The settings are those in the README of schemas. The formats of our own are judged elsewhere.
const strictly = `
import Ajv2020 from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { readdirSync, readFileSync } from "node:fs";
const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
addFormats(ajv);
ajv.addVocabulary(["x-want", "x-bounds", "x-maxBytes"]);
for (const own of ["bcp47", "iana-time-zone", "iso4217"]) ajv.addFormat(own, true);
const all = readdirSync(process.argv[2], { recursive: true }).filter((name) => name.endsWith(".schema.json"));
const schemas = all.map((name) => JSON.parse(readFileSync(process.argv[2] + "/" + name, "utf8")));
schemas.forEach((schema) => ajv.addSchema(schema));
for (const schema of schemas) {
  const validate = ajv.getSchema(schema.$id);
  for (const example of schema.examples ?? []) {
    if (!validate(example)) throw new Error(schema.$id + ": " + ajv.errorsText(validate.errors));
  }
}
console.log(schemas.length + " schemas");
`

func TestAjvCompilesTheSchemasInStrictMode(t *testing.T) {
	t.Parallel()
	tooltest.Require(t, tooltest.NPM)
	folder := t.TempDir()
	check(t, os.WriteFile(filepath.Join(folder, "strictly.mjs"), []byte(strictly), 0o600))
	files, err := filepath.Abs(sourcetest.Path("schemas"))
	check(t, err)
	run(t, folder, nil, "npm", "install", "--silent", "--no-save", "--prefer-offline", "--no-audit", "--no-fund", "ajv@8.17.1", "ajv-formats@3.0.1")
	if output := run(t, folder, nil, "node", "strictly.mjs", files); !strings.HasSuffix(strings.TrimSpace(output), " schemas") {
		t.Errorf("expected the number of schemas, received:\n%s", output)
	}
}

func TestOtherMakersLintersAcceptTheOpenAPIDocuments(t *testing.T) {
	t.Parallel()
	takesMinutes(t)
	tooltest.Require(t, tooltest.NPM)
	folder := t.TempDir()
	var files []string
	for _, document := range []string{openapi.Marketplace, openapi.Partner, "openapi/mock.yaml"} {
		text, err := openapi.Bundle(document)
		file := filepath.Base(document)
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, file), text, 0o600)
		}
		check(t, err)
		files = append(files, file)
	}
	for _, config := range []string{"redocly.yaml", "spectral.yaml"} {
		text, err := os.ReadFile(filepath.Join("openapi", config))
		if err == nil {
			err = os.WriteFile(filepath.Join(folder, config), text, 0o600)
		}
		check(t, err)
	}
	for linter, command := range map[string][]string{
		"Redocly":  append([]string{"npx", "--yes", redocly, "lint", "--config", "redocly.yaml", "--format", "stylish"}, files...),
		"Spectral": append([]string{"npx", "--yes", spectral, "lint", "--ruleset", "spectral.yaml", "--fail-severity", "warn"}, files...),
	} {
		t.Run(linter, func(t *testing.T) {
			t.Parallel()
			if output := run(t, folder, []string{"REDOCLY_TELEMETRY=off"}, command...); strings.Contains(output, "warning") {
				t.Errorf("Expected no warning, received:\n%s", output)
			}
		})
	}
}
