package docstest

import (
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// fileName is what may be one: folders and a name without the marks of patterns,
// placeholders and addresses.
var fileName = regexp.MustCompile(`^(\./)?[A-Za-z0-9_.-]+(/[A-Za-z0-9_.-]+)+/?$`)

// Names returns a problem for each file in backticks that is not there. A name with a
// slash counts as one where its first part is a folder beside the document, or of the root.
func Names(root string, documents []*Document) (problems []string) {
	for _, d := range documents {
		if d.FollowedBy != "" && !exists(root, d.FollowedBy) {
			problems = append(problems, fmt.Sprintf("%s: followed by %s: no such file", d.Path, d.FollowedBy))
		}
		for _, code := range d.Code {
			if !fileName.MatchString(code.Text) {
				continue
			}
			first, _, _ := strings.Cut(strings.TrimPrefix(code.Text, "./"), "/")
			folders := []string{path.Dir(d.Path), d.Folder(), "."}
			known, there := false, false
			for _, folder := range folders {
				known = known || exists(root, path.Join(folder, first))
				there = there || exists(root, path.Join(folder, code.Text))
			}
			if known && !there && first != "build" {
				problems = append(problems, fmt.Sprintf("%s: `%s`: no such file", d.Place(code.Line), code.Text))
			}
		}
	}
	return problems
}

func exists(root, name string) bool {
	_, err := os.Stat(filepath.Join(root, filepath.FromSlash(name)))
	return err == nil
}
