package main

import (
	"fmt"
	"os"
	"path/filepath"

	"github.com/evanw/esbuild/pkg/api"
)

// bundle returns the TypeScript client and its packages as one script for browsers.
func bundle(folder string) ([]byte, error) {
	if _, err := os.Stat(filepath.Join(folder, "node_modules")); err != nil {
		return nil, fmt.Errorf("-client: %s has no npm packages: run npm ci --prefix %[1]s --ignore-scripts", folder)
	}
	built := api.Build(api.BuildOptions{
		EntryPoints: []string{filepath.Join(folder, "src", "index.ts")},
		Bundle:      true,
		Format:      api.FormatESModule,
		Platform:    api.PlatformBrowser,
		Target:      api.ES2022,
		Charset:     api.CharsetUTF8,
	})
	if len(built.Errors) > 0 {
		return nil, fmt.Errorf("-client: %s", built.Errors[0].Text)
	}
	return built.OutputFiles[0].Contents, nil
}
