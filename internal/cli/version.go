// Package cli is what the kit's commands have in common: what they say of their version,
// their man pages, where their settings come from, how they end, and the look whether a
// service that they run is there.
package cli

import (
	"cmp"
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
	if info, ok := debug.ReadBuildInfo(); version == "" && ok && info.Main.Version != "(devel)" {
		return cmp.Or(info.Main.Version, "devel")
	}
	return cmp.Or(version, "devel")
}

// Build is the version with all that is known of how a command was built, such as
// "v1.2.3, commit 4f0c1d2, go1.26.0, linux/amd64".
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

// showVersion has a command answer --version with its name and all that is known of how
// it was built.
func showVersion(root *cobra.Command) {
	root.Version = Version()
	root.SetVersionTemplate("{{.Name}} " + Build() + "\n")
}
