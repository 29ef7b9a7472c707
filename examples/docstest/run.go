//go:build unix

package docstest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// A Runner follows documents.
type Runner struct {
	Root string // of the tree
	Bin  string // holds the programs
	Work string // a folder for the copy of the tree; the same one each time saves compiling
}

// mostTime bounds a document.
const mostTime = 20 * time.Minute

// Run follows a document from its top. Its error names the line of the block that failed,
// and holds what it printed.
func (r Runner) Run(ctx context.Context, d *Document) error {
	ctx, cancel := context.WithTimeout(ctx, mostTime)
	defer cancel()
	scratch, err := os.MkdirTemp("", "docs-test-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(scratch)
	if err := os.Chmod(scratch, 0o711); err != nil { // for the user that root hands PostgreSQL to
		return err
	}
	tree := filepath.Join(r.Work, "tree")
	if err := r.copyTree(ctx, tree); err != nil {
		return fmt.Errorf("copy the tree: %w", err)
	}
	addresses := freeAddresses{}
	environment, err := r.environment(ctx, scratch, addresses)
	if err != nil {
		return err
	}
	folder := filepath.Join(tree, d.Folder())
	s, err := newShell(ctx, folder, scratch, environment)
	if err != nil {
		return err
	}
	defer s.end()
	printed := ""
	for _, block := range d.Blocks {
		text := addresses.replace(block.Text)
		fail := func(err error, said string) error {
			return fmt.Errorf("%s: %w\n%s\n%s", d.Place(block.Line), err, indented(block.Text), said)
		}
		for _, name := range block.Needs {
			if err := s.keepAt(ctx, addresses.replace(services[name].command), addresses.of(services[name].address)); err != nil {
				return fail(fmt.Errorf("start the %s: %w", name, err), "")
			}
		}
		switch {
		case block.File != "":
			name := filepath.Join(folder, filepath.FromSlash(block.File))
			if err := errors.Join(os.MkdirAll(filepath.Dir(name), 0o755), os.WriteFile(name, []byte(text), 0o644)); err != nil {
				return fail(err, "")
			}
		case block.Output && !shows(printed, text):
			return fail(errors.New("want what the commands before it print"), printed)
		case block.Language != "sh" || block.CheckOnly:
		case block.KeepsAt != "":
			if err := s.keepAt(ctx, text, addresses.of(block.KeepsAt)); err != nil {
				return fail(err, "")
			}
		case block.Exports != "":
			if err := s.keepExporting(ctx, text, block.Exports); err != nil {
				return fail(err, "")
			}
		default:
			if printed, err = s.run(text, block.Exits); err != nil {
				return fail(err, printed)
			}
		}
	}
	return nil
}

// shows tells whether a text has in it what is expected, piece by piece between …, and
// whatever white space.
func shows(printed, expected string) bool {
	bare := func(text string) string { return strings.Join(strings.Fields(text), "") }
	rest := bare(printed)
	for piece := range strings.SplitSeq(bare(expected), "…") {
		_, after, found := strings.Cut(rest, piece)
		if !found {
			return false
		}
		rest = after
	}
	return true
}

func indented(text string) string {
	return "\t" + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n\t")
}

// copyTree makes a fresh copy of what a clone would hold.
func (r Runner) copyTree(ctx context.Context, to string) error {
	if err := os.RemoveAll(to); err != nil {
		return err
	}
	if err := os.MkdirAll(to, 0o755); err != nil {
		return err
	}
	list := exec.CommandContext(ctx, "git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
	list.Dir = r.Root
	files, err := list.Output()
	if err != nil {
		return fmt.Errorf("git ls-files: %w", err)
	}
	for name := range strings.SplitSeq(strings.TrimRight(string(files), "\x00"), "\x00") {
		text, err := os.ReadFile(filepath.Join(r.Root, name))
		if errors.Is(err, os.ErrNotExist) {
			continue // deleted, and not committed
		}
		if err != nil {
			return err
		}
		info, err := os.Stat(filepath.Join(r.Root, name))
		if err != nil {
			return err
		}
		target := filepath.Join(to, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(target), 0o755), os.WriteFile(target, text, info.Mode().Perm())); err != nil {
			return err
		}
	}
	return nil
}

// environment is that of a person who has just cloned the project: a home of its own,
// and only Go's caches shared. What go run leaves where it is killed goes with the scratch folder.
func (r Runner) environment(ctx context.Context, scratch string, addresses freeAddresses) ([]string, error) {
	caches, err := exec.CommandContext(ctx, "go", "env", "GOCACHE", "GOMODCACHE").Output()
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	cache := strings.Fields(string(caches))
	bin := filepath.Join(scratch, "bin")
	environment := []string{
		"HOME=" + scratch, "GOCACHE=" + cache[0], "GOMODCACHE=" + cache[1], "GOBIN=" + bin, "GOTMPDIR=" + scratch, "GOFLAGS=-buildvcs=false",
		"PATH=" + bin + ":" + r.Bin + ":" + os.Getenv("PATH"),
		"MARKETPLACE_DATA_DIR=" + filepath.Join(scratch, "data"),
		"MARKETPLACE_ADDR=" + addresses.of("127.0.0.1:8080"), "MOCKPARTNER_ADDR=" + addresses.of("127.0.0.1:8081"),
	}
	for _, name := range []string{"CGO_ENABLED", "GOPROXY", "GOSUMDB", "GONOSUMDB", "GOTOOLCHAIN", "LANG", "TMPDIR", "USER"} {
		if value, set := os.LookupEnv(name); set {
			environment = append(environment, name+"="+value)
		}
	}
	return environment, nil
}

// freeAddresses are those that stand for the addresses of a document.
type freeAddresses map[string]string

var loopback = regexp.MustCompile(`127\.0\.0\.1:[1-9][0-9]{3,4}\b`)

func (f freeAddresses) replace(text string) string {
	return loopback.ReplaceAllStringFunc(text, f.of)
}

// of is the free address that stands for one of a document.
func (f freeAddresses) of(address string) string {
	if f[address] == "" {
		f[address] = address // where none can be had the document's own may do
		if listener, err := net.Listen("tcp", "127.0.0.1:0"); err == nil {
			f[address] = listener.Addr().String()
			_ = listener.Close()
		}
	}
	return f[address]
}
