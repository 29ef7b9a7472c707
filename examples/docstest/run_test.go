//go:build unix

package docstest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// mostTime limits the run of a document.
const mostTime = 20 * time.Minute

// followInCopy runs a document from its top, in a fresh copy of the tree in the folder work. Reusing
// that folder saves compile time. The error names the line of the block that failed and contains its
// output.
func followInCopy(t *testing.T, work string, d *Document) error {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), mostTime)
	defer cancel()
	scratch, err := os.MkdirTemp("", "docs-test-") // its path is short enough for a socket
	check(t, err)
	defer os.RemoveAll(scratch)
	check(t, os.Chmod(scratch, 0o711)) // for PostgreSQL's user, if root runs the test
	tree := filepath.Join(work, "tree")
	copyTree(t, tree)
	addresses := freeAddresses{}
	return follow(ctx, d, filepath.Join(tree, d.Folder()), scratch, environment(t, scratch, addresses), addresses)
}

// preamble makes a block fail at its first failing command, which it names. A curl call fails if
// the server refuses the request. When the shell ends, all processes that it started end.
const preamble = `set -Eeuo pipefail
fails() { echo "failed: $BASH_COMMAND" >&2; }
trap fails ERR
curl() { command curl -sS --fail-with-body --max-time 120 "$@"; }
stop() { kill -- "-$1" || true; while kill -0 -- "-$1"; do sleep 0.05; done; } 2>/dev/null
leave() { trap '' TERM; for place in $scratch/*.pid; do stop "$(cat $place)"; done; kill -- -$$; wait; } 2>/dev/null
trap leave EXIT
trap 'exit 1' TERM
# exits BLOCK CODE: it runs in a shell of its own, as this one would end
exits() {
	set +e; trap - ERR
	( . $scratch/$1 ) >$scratch/$1.out 2>&1 </dev/null
	local code=$?
	set -e; trap fails ERR
	[ $code = $2 ] || { echo "expected exit code $2, received $code" >>$scratch/$1.out; exit 1; }
}
# keep BLOCK PLACE CONDITION: it runs on, in a process group of its own, in place of what was there before
keep() {
	local pid=$scratch/$2.pid
	[ ! -e $pid ] || stop "$(cat $pid)"
	set -m; { ( . $scratch/$1 ) >$scratch/$1.out 2>&1 </dev/null || echo "ended with $?" >>$scratch/$1.out; } & set +m
	echo $! >$pid
	until $3 $2 $scratch/$1.out; do
		if grep -qs '^ended with ' $scratch/$1.out; then echo "expected it to keep running: $3 $2" >>$scratch/$1.out; exit 1; fi
		sleep 0.05
	done
}
answers() { command curl -s -o /dev/null --max-time 5 http://$1; }
exports() { grep -Eqs "^[[:space:]]*export $1=" $2; }
`

// follow runs the blocks of a document in one bash, which starts in folder. Their outputs are in
// scratch, by block number.
func follow(ctx context.Context, d *Document, folder, scratch string, environment []string, addresses freeAddresses) error {
	script := "scratch='" + scratch + "'\n" + preamble
	write := func(name, text string) error { return os.WriteFile(filepath.Join(scratch, name), []byte(text), 0o600) }
	for i, block := range d.Blocks {
		name := strconv.Itoa(i)
		if err := write(name, addresses.replace(block.Text)); err != nil {
			return err
		}
		script += "echo " + name + " >$scratch/at\n"
		for _, needed := range block.Needs {
			if err := write(needed, addresses.replace(services[needed].command)); err != nil {
				return err
			}
			script += fmt.Sprintf("echo %[1]s >$scratch/at; keep %[1]s %[2]s answers\n", needed, addresses.addressFor(services[needed].address))
		}
		switch {
		case block.File != "":
			script += fmt.Sprintf("mkdir -p '%s'; cp $scratch/%s '%s'\n", filepath.Join(folder, path.Dir(block.File)), name, filepath.Join(folder, block.File))
		case block.Language != "sh" || block.CheckOnly:
		case block.KeepsAt != "":
			script += fmt.Sprintf("keep %s %s answers\n", name, addresses.addressFor(block.KeepsAt))
		case block.Exports != "":
			script += fmt.Sprintf("keep %[1]s %[2]s exports; eval \"$(grep -E '^[[:space:]]*export [A-Z_]+=[^[:space:]]+$' $scratch/%[1]s.out)\"\n", name, block.Exports)
		case block.Exits != 0:
			script += fmt.Sprintf("exits %s %d\n", name, block.Exits)
		default:
			script += fmt.Sprintf(". $scratch/%[1]s >$scratch/%[1]s.out 2>&1 </dev/null\n", name)
		}
	}
	if err := write("script", script+"echo end >$scratch/at\n"); err != nil {
		return err
	}
	bash := exec.CommandContext(ctx, "bash", "--noprofile", "--norc", filepath.Join(scratch, "script"))
	bash.Dir, bash.Env = folder, environment
	bash.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	bash.Cancel = func() error { return syscall.Kill(-bash.Process.Pid, syscall.SIGTERM) }
	bash.WaitDelay = time.Minute
	output, failed := bash.CombinedOutput()
	return judge(d, scratch, errors.Join(ctx.Err(), failed), output)
}

// judge returns an error for the first block that failed or whose output is not as documented.
func judge(d *Document, scratch string, failed error, output []byte) error {
	read := func(name string) string {
		text, _ := os.ReadFile(filepath.Join(scratch, name)) // a block that did not run has no output
		return string(text)
	}
	at, printed := strings.TrimSpace(read("at")), ""
	for i, block := range d.Blocks {
		name := strconv.Itoa(i)
		switch {
		case block.Output && !shows(printed, block.Text):
			return fmt.Errorf("%s: expected what the commands before it print\n%s\n%s", d.Place(block.Line), indentText(block.Text), printed)
		case failed != nil && (at == name || slices.Contains(block.Needs, at)):
			return fmt.Errorf("%s: %w\n%s\n%s%s", d.Place(block.Line), failed, indentText(block.Text), read(at+".out"), output)
		case block.Language == "sh" && !block.CheckOnly && block.File+block.KeepsAt+block.Exports == "":
			printed = read(name + ".out")
		}
	}
	return failed
}

// shows reports whether a text contains the expected pieces, separated by …, in order. It ignores
// white space.
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

func indentText(text string) string {
	return "\t" + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n\t")
}

// copying copies the files that git tracks or does not ignore, except deleted ones.
const copying = `set -o pipefail
git ls-files -z --cached --others --exclude-standard |
	while IFS= read -r -d '' file; do if [ -e "$file" ]; then printf '%s\0' "$file"; fi; done |
	tar -c -f - --null -T - | tar -x -f - -C "$1"`

// copyTree creates a fresh copy of the tree, with the files of a clone.
func copyTree(t *testing.T, to string) {
	t.Helper()
	check(t, errors.Join(os.RemoveAll(to), os.MkdirAll(to, 0o755)))
	bash := exec.CommandContext(t.Context(), "bash", "-c", copying, "bash", to)
	bash.Dir = root
	if output, err := bash.CombinedOutput(); err != nil {
		t.Fatalf("copy the tree: %v: %s", err, output)
	}
}

// environment returns the environment of a user who has just cloned the project: with its own home,
// sharing only Go's caches. The files of a killed go run are removed with the scratch folder.
func environment(t *testing.T, scratch string, addresses freeAddresses) []string {
	t.Helper()
	caches := output(t, "go", "env", "GOCACHE", "GOMODCACHE")
	cache := strings.Fields(caches)
	bin := filepath.Join(scratch, "bin")
	environment := []string{
		"HOME=" + scratch, "GOCACHE=" + cache[0], "GOMODCACHE=" + cache[1], "GOBIN=" + bin, "GOTMPDIR=" + scratch, "GOFLAGS=-buildvcs=false",
		"PATH=" + bin + ":" + programs(t) + ":" + os.Getenv("PATH"),
		"MARKETPLACE_DATA_DIR=" + filepath.Join(scratch, "data"),
		"MARKETPLACE_ADDR=" + addresses.addressFor("127.0.0.1:8080"), "MOCKPARTNER_ADDR=" + addresses.addressFor("127.0.0.1:8081"),
	}
	for _, name := range []string{"CGO_ENABLED", "GOPROXY", "GOSUMDB", "GONOSUMDB", "GOTOOLCHAIN", "LANG", "TMPDIR", "USER"} {
		if value, set := os.LookupEnv(name); set {
			environment = append(environment, name+"="+value)
		}
	}
	return environment
}

// freeAddresses maps the addresses of a document to free ones.
type freeAddresses map[string]string

var loopback = regexp.MustCompile(`127\.0\.0\.1:[1-9][0-9]{3,4}\b`)

func (f freeAddresses) replace(text string) string {
	return loopback.ReplaceAllStringFunc(text, f.addressFor)
}

// addressFor returns the free address for an address of a document.
func (f freeAddresses) addressFor(address string) string {
	if f[address] == "" {
		f[address] = address // the fallback if there is no free address
		if listener, err := net.Listen("tcp", "127.0.0.1:0"); err == nil {
			f[address] = listener.Addr().String()
			_ = listener.Close()
		}
	}
	return f[address]
}
