// Command modules writes Go modules of this repository, as one version, to a folder in the form of a
// module proxy (go help goproxy). In the repository the modules name each other by replace
// directives, which `go install MODULE@VERSION` does not accept. A published module requires the
// others in the same version instead.
package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

func main() {
	version := flag.String("version", "", "version of all modules, such as v1.2.3")
	seconds := flag.Int64("time", 0, "time of the version, in seconds since 1970")
	from := flag.String("from", ".", "folder of the repository")
	to := flag.String("to", "", "folder to write")
	flag.Parse()
	if err := publish(*from, *to, *version, time.Unix(*seconds, 0).UTC(), flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "modules:", err)
		os.Exit(1)
	}
}

// publish writes the modules in the given folders of a repository.
func publish(from, to, version string, at time.Time, folders []string) error {
	if len(folders) == 0 {
		return fmt.Errorf("expected the folders of modules")
	}
	for _, folder := range folders {
		if err := publishModule(from, to, version, at, folder); err != nil {
			return fmt.Errorf("%s: %w", folder, err)
		}
	}
	return nil
}

func publishModule(from, to, version string, at time.Time, folder string) error {
	mod, err := os.ReadFile(filepath.Join(from, folder, "go.mod"))
	if err != nil {
		return err
	}
	name, mod, err := publishedMod(mod, version)
	if err != nil {
		return err
	}
	escaped, err := module.EscapePath(name)
	if err != nil {
		return err
	}
	files, err := contents(from, folder, mod)
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	// It also checks the name, the version, and the size and names of the files.
	if err := zip.Create(&packed, module.Version{Path: name, Version: version}, files); err != nil {
		return err
	}
	info, err := json.Marshal(struct {
		Version string
		Time    time.Time
	}{version, at})
	if err != nil {
		return err
	}
	target := filepath.Join(to, filepath.FromSlash(escaped))
	if err := os.MkdirAll(filepath.Join(target, "@v"), 0o755); err != nil {
		return err
	}
	for name, text := range map[string][]byte{
		"@latest": info, "@v/list": []byte(version + "\n"),
		"@v/" + version + ".info": info, "@v/" + version + ".mod": mod, "@v/" + version + ".zip": packed.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(target, name), text, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// publishedMod returns the path of a module, and its go.mod with every replaced module in the given
// version instead.
func publishedMod(text []byte, version string) (name string, mod []byte, err error) {
	parsed, err := modfile.Parse("go.mod", text, nil)
	if err != nil {
		return "", nil, err
	}
	replaced := map[string]bool{}
	for _, replace := range parsed.Replace {
		replaced[replace.Old.Path] = true
		if err := parsed.DropReplace(replace.Old.Path, replace.Old.Version); err != nil {
			return "", nil, err
		}
	}
	for _, require := range parsed.Require {
		if replaced[require.Mod.Path] {
			if err := parsed.AddRequire(require.Mod.Path, version); err != nil {
				return "", nil, err
			}
		}
	}
	parsed.Cleanup()
	mod, err = parsed.Format()
	return parsed.Module.Mod.Path, mod, err
}

// contents returns the files of a module that are in git, with another go.mod, and the licence of the
// repository.
func contents(from, folder string, mod []byte) ([]zip.File, error) {
	list := exec.Command("git", "-c", "safe.directory=*", "ls-files", "-z", "--", folder, "LICENSE", "NOTICE")
	list.Dir, list.Stderr = from, os.Stderr
	names, err := list.Output()
	if err != nil {
		return nil, fmt.Errorf("git ls-files: %w", err)
	}
	var files []zip.File
	for name := range strings.SplitSeq(strings.TrimSuffix(string(names), "\x00"), "\x00") {
		f := file{name: strings.TrimPrefix(name, folder+"/"), from: filepath.Join(from, filepath.FromSlash(name))}
		if f.name == "go.mod" {
			f.text = mod
		}
		files = append(files, f)
	}
	return files, nil
}

// file is a file of a module: the text, or else the file that it comes from.
type file struct {
	name, from string
	text       []byte
}

func (f file) Path() string                { return path.Clean(f.name) }
func (f file) Lstat() (os.FileInfo, error) { return os.Lstat(f.from) }
func (f file) Open() (io.ReadCloser, error) {
	if f.text != nil {
		return io.NopCloser(bytes.NewReader(f.text)), nil
	}
	return os.Open(f.from)
}
