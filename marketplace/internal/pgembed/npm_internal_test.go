//go:build unix

package pgembed

import (
	"os"
	"path/filepath"
	"testing"
)

// It changes the process's environment, so it is not parallel.
func TestTheRegistryIsTheOneThatNPMIsConfiguredWith(t *testing.T) {
	for name, c := range map[string]struct{ npm, variable, project, user, want string }{
		"npm says it":         {npm: "https://npm.example", variable: "https://other.example", want: "https://npm.example"},
		"a variable":          {variable: "https://variable.example", project: "registry=https://project.example\n", want: "https://variable.example"},
		"the folder's .npmrc": {project: "; a comment\nregistry = \"https://project.example/npm/\"\n", user: "registry=https://user.example", want: "https://project.example/npm/"},
		"the user's .npmrc":   {project: "save=false\n", user: "registry=https://${PGEMBED_TEST_HOST}\n", want: "https://user.example"},
		"nothing":             {},
	} {
		t.Run(name, func(t *testing.T) {
			bin, project, home := t.TempDir(), t.TempDir(), t.TempDir()
			for file, text := range map[string]string{
				filepath.Join(bin, "npm"):        "#!/bin/sh\n[ \"$*\" = 'config get registry' ] && echo " + c.npm,
				filepath.Join(project, ".npmrc"): c.project, filepath.Join(home, ".npmrc"): c.user,
			} {
				if filepath.Base(file) == "npm" && c.npm == "" {
					continue
				}
				if err := os.WriteFile(file, []byte(text), 0o700); err != nil {
					t.Fatal(err)
				}
			}
			t.Chdir(project)
			for variable, value := range map[string]string{
				"PATH": bin, "HOME": home, "npm_config_registry": "", "NPM_CONFIG_REGISTRY": c.variable,
				"npm_config_userconfig": "", "NPM_CONFIG_USERCONFIG": "", "PGEMBED_TEST_HOST": "user.example",
			} {
				t.Setenv(variable, value)
			}
			got, err := npmRegistry(t.Context())
			if got != c.want || (err == nil) != (c.want != "") {
				t.Errorf("want %q, got %q and %v", c.want, got, err)
			}
		})
	}
}
