package packaging

import (
	"encoding/json"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// settings of an image, as an engine reads them.
type settings struct {
	User            string
	Env             []string
	Entrypoint, Cmd []string
}

// container is a container of an image of the release. buildah runs its commands as the image's
// user, with the image's files as root folder, and with the network of this machine.
type container struct {
	settings

	t       *testing.T
	buildah []string
	name    string
}

func open(t *testing.T, command string) container {
	t.Helper()
	folder := t.TempDir()
	c := container{t: t, buildah: []string{"buildah", "--root", folder + "/store", "--runroot", folder + "/run", "--storage-driver", "vfs"}}
	// docker load reads it compressed, buildah does not.
	archive := filepath.Join(folder, "image.tar")
	run(t, nil, "sh", "-c", `gzip --decompress --stdout "$1" > "$2"`, "sh", releaseFile(t, "partnerkit-"+command+"_"+version+"_linux_amd64.tar.gz"), archive)
	c.name = strings.TrimSpace(run(t, nil, "buildah", append(c.buildah[1:], "from", "--quiet", "docker-archive:"+archive)...))
	t.Cleanup(func() {
		if output, err := exec.Command("buildah", append(c.buildah[1:], "rm", c.name)...).CombinedOutput(); err != nil {
			t.Errorf("buildah rm: %v\n%s", err, output)
		}
	})
	var inspected struct {
		Docker struct {
			Config settings
		}
	}
	check(t, json.Unmarshal([]byte(run(t, nil, "buildah", append(c.buildah[1:], "inspect", c.name)...)), &inspected))
	c.settings = inspected.Docker.Config
	if c.User != "65532:65532" {
		t.Errorf("expected an unprivileged user, received %q", c.User)
	}
	return c
}

// command returns a command that runs in the container.
func (c container) command(environment []string, arguments ...string) *exec.Cmd {
	all := append(slices.Clone(c.buildah), "run", "--isolation", "chroot", "--terminal=false")
	for _, setting := range environment {
		all = append(all, "--env", setting)
	}
	all = append(append(all, c.name, "--"), arguments...)
	return exec.Command(all[0], all[1:]...)
}

// requireHealthy runs the health check of the Dockerfile and the compose file.
func (c container) requireHealthy(environment []string, arguments ...string) {
	c.t.Helper()
	if output, err := c.command(environment, append(append(slices.Clone(c.Entrypoint), "health"), arguments...)...).CombinedOutput(); err != nil {
		c.t.Errorf("health: %v\n%s", err, output)
	}
}

func TestImage_MarketplaceServes(t *testing.T) {
	t.Parallel()
	database := postgres(t)
	image := open(t, "marketplace")
	port := freePort(t)
	if !slices.Contains(image.Env, "MARKETPLACE_ADDR=0.0.0.0:8080") {
		t.Errorf("expected the image to listen on all addresses, received %q", image.Env)
	}
	environment := []string{"MARKETPLACE_ADDR=127.0.0.1:" + port, "MARKETPLACE_DATABASE_URL=" + database, "MARKETPLACE_SECRET_KEY=" + strings.Repeat("k", 32)}
	took := serve(t, "http://127.0.0.1:"+port+"/readyz", image.command(environment, append(image.Entrypoint, image.Cmd...)...))
	t.Logf("the marketplace's image answers /readyz after %v, with an empty database", took.Round(1e7))
	image.requireHealthy(environment)
	// It runs partners' conformance tests with the command beside it.
	if output, err := image.command(nil, "/conformance", "--version").CombinedOutput(); err != nil {
		t.Errorf("conformance: %v\n%s", err, output)
	}
}

func TestImage_MockPartnerIsConformantForTheSuitesImage(t *testing.T) {
	t.Parallel()
	mock, suite := open(t, "mockpartner"), open(t, "conformance")
	address := "127.0.0.1:" + freePort(t)
	arguments := slices.Clone(mock.Cmd)
	arguments[slices.Index(arguments, "0.0.0.0:8081")] = address
	environment := []string{"MOCKPARTNER_AUTH_KEY=secret", "MOCKPARTNER_CONTROL_TOKEN=" + strings.Repeat("t", 32)}
	took := serve(t, "http://"+address+"/_mock/healthz", mock.command(environment, append(mock.Entrypoint, arguments...)...))
	t.Logf("the mock partner's image answers after %v", took.Round(1e7))
	mock.requireHealthy(environment, "--addr", address)
	output, err := suite.command([]string{"CONFORMANCE_AUTH_KEY=secret"}, append(suite.Entrypoint, "run", "--base-url", "http://"+address, "--depth", "quick", "--report-dir", "/reports/run")...).CombinedOutput()
	if err != nil {
		t.Errorf("conformance run: %v\n%s", err, output)
	}
}

// It starts without its supplier, with its store in the image's volume.
func TestImage_BridgeServes(t *testing.T) {
	t.Parallel()
	image := open(t, "octobridge")
	address := "127.0.0.1:" + freePort(t)
	if !slices.Contains(image.Env, "OCTOBRIDGE_ADDR=0.0.0.0:8085") || !slices.Contains(image.Env, "OCTOBRIDGE_STORE=/data/octobridge.db") {
		t.Errorf("expected the image to listen on all addresses and to store in its volume, received %q", image.Env)
	}
	environment := []string{"OCTOBRIDGE_ADDR=" + address, "OCTOBRIDGE_OCTO_URL=http://127.0.0.1:1", "OCTOBRIDGE_OCTO_KEY=secret", "OCTOBRIDGE_AUTH_KEY=secret"}
	took := serve(t, "http://"+address+"/healthz", image.command(environment, append(image.Entrypoint, image.Cmd...)...))
	t.Logf("the bridge's image answers after %v", took.Round(1e7))
	image.requireHealthy(environment)
}

// newReachableFolder returns a folder that other users can get through, with a name that is short enough for
// a socket.
func newReachableFolder(t *testing.T) string {
	t.Helper()
	folder, err := os.MkdirTemp("", "pg-")
	if err == nil {
		err = os.Chmod(folder, 0o711)
	}
	check(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(folder) })
	return folder
}

// postgres starts a PostgreSQL with an empty database, and returns its URL.
func postgres(t *testing.T) string {
	t.Helper()
	programs, err := filepath.Glob("/usr/lib/postgresql/*/bin")
	if err != nil || len(programs) == 0 {
		t.Fatalf("install postgresql: %v", err)
	}
	bin := programs[len(programs)-1]
	folder := newReachableFolder(t)
	as := &syscall.SysProcAttr{}
	if os.Geteuid() == 0 { // for which PostgreSQL does not run
		account, err := user.Lookup("postgres")
		check(t, err)
		uid, _ := strconv.Atoi(account.Uid)
		gid, _ := strconv.Atoi(account.Gid)
		check(t, os.Chown(folder, uid, gid))
		as.Credential = &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
	}
	port := freePort(t)
	for _, arguments := range [][]string{
		{"initdb", "--pgdata", folder + "/data", "--auth", "trust", "--username", "marketplace", "--no-sync"},
		{"pg_ctl", "start", "--pgdata", folder + "/data", "--wait", "--log", folder + "/log", "--options", "-c listen_addresses=127.0.0.1 -c fsync=off -p " + port + " -k " + folder},
	} {
		command := exec.Command(bin+"/"+arguments[0], arguments[1:]...)
		command.SysProcAttr, command.Dir = as, folder
		if output, err := command.CombinedOutput(); err != nil {
			t.Fatalf("%s: %v\n%s", arguments[0], err, output)
		}
	}
	t.Cleanup(func() {
		stop := exec.Command(bin+"/pg_ctl", "stop", "--pgdata", folder+"/data", "--mode", "immediate")
		stop.SysProcAttr, stop.Dir = as, folder
		if output, err := stop.CombinedOutput(); err != nil {
			t.Errorf("pg_ctl stop: %v\n%s", err, output)
		}
	})
	return "postgres://marketplace@127.0.0.1:" + port + "/postgres"
}

// Otherwise a module that the builder does not copy would only be found where Docker is.
func TestDockerfile_CopiesWhatItBuilds(t *testing.T) {
	t.Parallel()
	builder, err := os.ReadFile("../Dockerfile")
	check(t, err)
	workspace, err := os.ReadFile("../go.work")
	check(t, err)
	for _, module := range regexp.MustCompile(`(?m)^\t\./(\w+)$`).FindAllStringSubmatch(string(workspace), -1) {
		if !strings.Contains(string(builder), "COPY "+module[1]+"/go.mod ") {
			t.Errorf("the Dockerfile does not copy %s/go.mod", module[1])
		}
	}
}
