// Package cli is what the project's commands have in common: version, man pages, settings, exit
// codes, and the health check of a service.
package cli

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// version and commit are set by the linker for a release:
//
//	go build -ldflags "-X partnerkit.dev/internal/cli.version=v1.2.3 -X partnerkit.dev/internal/cli.commit=4f0c…"
var version, commit string

// Version returns the version that a command was built from: the release's, the module's after go
// install, or devel.
func Version() string {
	if info, ok := debug.ReadBuildInfo(); version == "" && ok && info.Main.Version != "(devel)" {
		return cmp.Or(info.Main.Version, "devel")
	}
	return cmp.Or(version, "devel")
}

// Build returns the version and everything known about the build, such as "v1.2.3, commit 4f0c1d2,
// go1.26.0, linux/amd64".
func Build() string {
	from := commit
	if info, ok := debug.ReadBuildInfo(); from == "" && ok {
		for _, setting := range info.Settings {
			if setting.Key == "vcs.revision" {
				from = setting.Value
			}
		}
	}
	if from != "" {
		from = ", commit " + from
	}
	return fmt.Sprintf("%s%s, %s, %s/%s", Version(), from, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// showVersion makes a command answer --version with its name and its build.
func showVersion(root *cobra.Command) {
	root.Version = Version()
	root.SetVersionTemplate("{{.Name}} " + Build() + "\n")
}
