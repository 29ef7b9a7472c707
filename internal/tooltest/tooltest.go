// Package tooltest gives tests the programs that they need in addition to Go. If the machine lacks one, the
// test is skipped, or fails if CI is set. It is only for tests.
package tooltest

import (
	"fmt"
	"os"
	"os/exec"
	"testing"
)

// Tool is a program or service that tests need.
type Tool struct {
	name   string
	debian string   // the packages of Debian that contain it, or ""
	check  []string // a program, and if it has arguments, a command that fails without the tool
}

// Python is Debian's, because only it finds Debian's packages.
const Python = "/usr/bin/python3"

// The programs that tests need, and what a Debian package of each is called.
var (
	Bash       = Tool{"bash", "bash", []string{"bash"}}
	Browser    = Tool{"a browser", "chromium", nil}
	Curl       = Tool{"curl", "curl", []string{"curl"}}
	Etcd       = Tool{"etcd", "etcd-server", []string{"etcd"}}
	Faketime   = Tool{"libfaketime", "libfaketime", nil}
	HAProxy    = Tool{"HAProxy", "haproxy", []string{"/usr/sbin/haproxy"}}
	Namespaces = Tool{"network namespaces without rights", "iproute2", []string{"unshare", "--user", "--map-root-user", "--net", "--pid", "--mount-proc", "--fork", "ip", "link", "add", "machines", "type", "bridge"}}
	NPM        = Tool{"npm", "npm", []string{"npm"}}
	Patroni    = Tool{"Patroni", "patroni", []string{"patroni"}}
	PgBouncer  = Tool{"PgBouncer", "pgbouncer", []string{"/usr/sbin/pgbouncer"}}
	PostgreSQL = Tool{"PostgreSQL", "postgresql", nil}
	Promtool   = Tool{"promtool", "prometheus", []string{"promtool"}}
	Registry   = Tool{"npm's registry", "", []string{"npm", "view", "--fetch-retries=0", "ajv", "version"}}

	PythonAiohttp = Tool{"Python with aiohttp", "python3-aiohttp", []string{Python, "-c", "import aiohttp"}}
	PythonClient  = Tool{"Python with httpx, yaml, mypy, setuptools and wheel", "python3-httpx python3-yaml mypy python3-setuptools python3-wheel",
		[]string{Python, "-c", "import httpx, yaml, mypy, setuptools, wheel"}}
)

// String says what is missing.
func (tool Tool) String() string {
	if tool.debian == "" {
		return "needs " + tool.name
	}
	return "needs " + tool.name + ": install " + tool.debian
}

// Require skips the test if the machine does not have the tool. The zero Tool is always there.
func Require(t testing.TB, tool Tool) {
	t.Helper()
	if len(tool.check) == 0 {
		return
	}
	_, err := exec.LookPath(tool.check[0])
	if err == nil && len(tool.check) > 1 {
		err = exec.CommandContext(t.Context(), tool.check[0], tool.check[1:]...).Run()
	}
	if err != nil {
		Skip(t, tool, err)
	}
}

// Skip skips a test that did not find a tool.
func Skip(t testing.TB, tool Tool, why any) {
	t.Helper()
	if Required() {
		t.Fatalf("%s\n%v", tool, why)
	}
	record(tool.String())
	t.Skipf("%s\n%v", tool, why)
}

// record adds a line to the file that SKIPPED_TESTS names. summary.sh shows it at the end of `make test`.
func record(line string) {
	if file, err := os.OpenFile(os.Getenv("SKIPPED_TESTS"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600); err == nil {
		_, _ = file.WriteString(line + "\n") // a line that is lost fails no test
		_ = file.Close()
	}
}

// SkipPackage returns the exit code of a package that did not find a tool for its tests, and prints
// why.
func SkipPackage(tool Tool, why any) int {
	fmt.Printf("SKIPPED: %s\n%v\n", tool, why)
	record("all tests of a package: " + tool.String())
	if Required() {
		return 1
	}
	return 0
}

// Required reports whether no test may be skipped.
func Required() bool { return os.Getenv("CI") != "" }
