package cli

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"github.com/spf13/cobra/doc"
)

// addMan adds the command that writes the man pages of a root and all commands below it. It is
// hidden, because only packagers use it.
func addMan(root *cobra.Command) {
	root.AddCommand(&cobra.Command{
		Use:     "man FOLDER",
		Short:   "Write the man pages into a folder",
		Hidden:  true,
		Args:    cobra.ExactArgs(1),
		RunE:    func(c *cobra.Command, args []string) error { return writeMan(c.Root(), args[0]) },
		Example: "  " + root.Name() + " man build/man",
	})
}

func writeMan(root *cobra.Command, folder string) error {
	root.DisableAutoGenTag = true // the same source gives the same pages
	header := &doc.GenManHeader{Section: "1", Source: root.Name() + " " + Version(), Manual: "partnerkit"}
	err := os.MkdirAll(folder, 0o755)
	if err == nil {
		err = doc.GenManTree(root, header, folder)
	}
	if err != nil {
		return fmt.Errorf("write the man pages: %w; name a folder that this user may write to", err)
	}
	return nil
}
