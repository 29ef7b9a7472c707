// Package cli is what the kit's commands have in common: what they say of their version,
// their man pages, where their settings come from, how they end, and the look whether a
// service that they run is there.
package cli

import (
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"
)

// What a release was made of. It sets them by the linker:
//
//	go build -ldflags "-X partnerkit.dev/internal/cli.version=v1.2.3 -X partnerkit.dev/internal/cli.commit=4f0c…"
var version, commit string

// Version is the version that a command was built from: a release's, the module's for
// who has installed it by go install, else devel.
func Version() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" && info.Main.Version != "(devel)" {
		return info.Main.Version
	}
	return "devel"
}

// Build is the version with all that is known of how a command was built, such as
// "v1.2.3, commit 4f0c1d2, go1.26.0, linux/amd64".
func Build() string {
	line := Version()
	if of := builtFrom(); of != "" {
		line += ", commit " + of
	}
	return fmt.Sprintf("%s, %s, %s/%s", line, runtime.Version(), runtime.GOOS, runtime.GOARCH)
}

// builtFrom is the commit, as far as it is known.
func builtFrom() string {
	if commit != "" {
		return commit
	}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return ""
	}
	for _, setting := range info.Settings {
		if setting.Key == "vcs.revision" {
			return setting.Value
		}
	}
	return ""
}

// showVersion has a command answer --version with its name and all that is known of how
// it was built.
func showVersion(root *cobra.Command) {
	root.Version = Version()
	root.SetVersionTemplate("{{.Name}} " + Build() + "\n")
}
