//go:build linux

package crash

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"partnerkit.dev/internal/sourcetest"
	"partnerkit.dev/internal/tooltest"
)

// recipe is the folder of the configuration that these tests run unchanged.
const recipe = "examples/patroni"

// machines is the number of machines with a database. Machine 0 has HAProxy and PgBouncer.
const machines = 3

// patroni is a cluster of the recipe. Its machines differ in their environment only, and their files are in
// other folders than the recipe says.
type patroni struct {
	*network
	dir, commands string
	secrets       map[string]string // of patroni.env
}

// databasePassword is the service's.
const databasePassword = "marketplace-password"

func newPatroni(t *testing.T, dir string) *patroni {
	t.Helper()
	for _, tool := range []tooltest.Tool{tooltest.Patroni, tooltest.Etcd, tooltest.HAProxy, tooltest.PgBouncer} {
		tooltest.Require(t, tool)
	}
	p := &patroni{network: newNetwork(t, machines), dir: dir, commands: commandsOf(t), secrets: map[string]string{}}
	for _, folder := range []string{"", "primary", "standbys", "pgbouncer", "db1", "db2", "db3"} {
		check(t, os.MkdirAll(filepath.Join(dir, folder), 0o755))
		p.give(t, folder)
	}
	for _, name := range []string{"etcd.env", "patroni.env", "patroni.yml", "haproxy.cfg", "pgbouncer.ini", "database.sql", "userlist.sql"} {
		text, err := os.ReadFile(sourcetest.Path(recipe + "/" + name))
		check(t, err)
		p.write(t, name, string(text))
	}
	// What leads to the cluster listens on sockets, too, which the test can reach.
	p.write(t, "sockets.cfg", fmt.Sprintf(`
frontend primary-socket
    bind unix@%[1]s/primary/.s.PGSQL.5432 mode 777
    default_backend primary
frontend standbys-socket
    bind unix@%[1]s/standbys/.s.PGSQL.5432 mode 777
    default_backend standbys
`, dir))
	p.write(t, "sockets.ini", fmt.Sprintf("%%include %[1]s/pgbouncer.ini\nunix_socket_dir = %[1]s/pgbouncer\nauth_file = %[1]s/userlist.txt\n", dir))
	for machine := 1; machine <= machines; machine++ {
		check(t, p.boot(machine))
	}
	check(t, p.run(0, "haproxy", nil, "/usr/sbin/haproxy", "-db", "-f", p.path("haproxy.cfg"), "-f", p.path("sockets.cfg")))
	t.Cleanup(func() { p.showLogs(t) })
	waitUntil(t, patience, "three servers that follow one", func() bool { return p.members(t.Context()).complete() })
	waitUntil(t, patience, "the database made", func() bool {
		output, err := p.psql("--file", p.path("database.sql"), "--set", "ON_ERROR_STOP=1", "--set", "password="+databasePassword)
		if err != nil && strings.Contains(output, "ERROR") {
			t.Fatalf("database.sql: %s", output)
		}
		return err == nil
	})
	users, err := p.psql("--tuples-only", "--no-align", "--file", p.path("userlist.sql"))
	if err != nil {
		t.Fatalf("userlist.sql: %v: %s", err, users)
	}
	p.write(t, "userlist.txt", users)
	check(t, p.run(0, "pgbouncer", nil, "/usr/sbin/pgbouncer", p.path("sockets.ini")))
	return p
}

// psql runs psql on the primary, as its superuser.
func (p *patroni) psql(args ...string) (output string, err error) {
	psql := exec.Command(filepath.Join(p.commands, "psql"), append([]string{"--host", p.path("primary"), "--username", "postgres"}, args...)...)
	psql.Env = []string{"PGPASSWORD=" + p.secrets["PATRONI_SUPERUSER_PASSWORD"]}
	text, err := psql.CombinedOutput()
	return string(text), err
}

func (p *patroni) path(name string) string { return filepath.Join(p.dir, name) }

// give gives a file to the user who runs the servers.
func (p *patroni) give(t *testing.T, name string) {
	t.Helper()
	if p.account != nil {
		check(t, os.Chown(p.path(name), int(p.account.Uid), int(p.account.Gid)))
	}
}

func (p *patroni) write(t *testing.T, name, text string) {
	t.Helper()
	check(t, os.WriteFile(p.path(name), []byte(text), 0o600))
	p.give(t, name)
}

// environment returns the settings in a file of the recipe, which is db1's, for a machine.
func (p *patroni) environment(name string, machine int) ([]string, error) {
	text, err := os.ReadFile(p.path(name))
	var list []string
	for line := range strings.Lines(string(text)) {
		setting, value, is := strings.Cut(strings.TrimSpace(line), "=")
		if !is || strings.HasPrefix(setting, "#") {
			continue
		}
		if setting != "ETCD_INITIAL_CLUSTER" {
			value = strings.NewReplacer("db1", fmt.Sprint("db", machine), "10.0.0.1", fmt.Sprint("10.0.0.", machine)).Replace(value)
		}
		p.secrets[setting] = value
		list = append(list, setting+"="+value)
	}
	return list, err
}

// boot starts the servers of a machine.
func (p *patroni) boot(machine int) error {
	own := p.path(fmt.Sprint("db", machine))
	etcd, err := p.environment("etcd.env", machine)
	database, also := p.environment("patroni.env", machine)
	if err := errors.Join(err, also); err != nil {
		return err
	}
	database = append(database, "PATRONI_POSTGRESQL_DATA_DIR="+own+"/data", "PATRONI_POSTGRESQL_BIN_DIR="+p.commands, "PATRONI_POSTGRESQL_PGPASS="+own+"/pgpass")
	return errors.Join(
		p.run(machine, fmt.Sprint("etcd", machine), append(etcd, "ETCD_DATA_DIR="+own+"/etcd"), "etcd"),
		p.run(machine, fmt.Sprint("patroni", machine), database, "patroni", p.path("patroni.yml")))
}

// run runs a server on a machine.
func (p *patroni) run(machine int, name string, settings []string, command string, args ...string) error {
	log, err := os.OpenFile(p.path(name+".log"), os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	defer log.Close()
	server := p.command(machine, command, args...)
	server.Env = append([]string{"PATH=" + os.Getenv("PATH"), "TZ=UTC", "LC_ALL=C.UTF-8"}, settings...)
	server.Stdout, server.Stderr = log, log
	_, err = startProcess(server, syscall.SIGKILL)
	return err
}

// showLogs prints the end of each server's log if the test failed.
func (p *patroni) showLogs(t *testing.T) {
	if !t.Failed() {
		return
	}
	logs, _ := filepath.Glob(p.path("*.log")) // the pattern is valid
	for _, log := range logs {
		text, err := os.ReadFile(log)
		if err != nil {
			t.Error(err)
		}
		t.Logf("%s: %s", filepath.Base(log), text[max(0, len(text)-5_000):])
	}
}

// member is a server as Patroni lists it.
type member struct {
	Member, Host, Role, State string
	TL                        int
}

type members []member

// members returns the servers, or none if Patroni cannot list them.
func (p *patroni) members(ctx context.Context) (list members) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	listing := p.command(0, "patronictl", "--config-file", p.path("patroni.yml"), "list", "--format", "json")
	listing.Env = []string{"PATH=" + os.Getenv("PATH"), "LC_ALL=C.UTF-8", "PATRONI_NAME=db0"}
	ended := context.AfterFunc(ctx, func() { _ = listing.Process.Kill() })
	defer ended()
	output, err := listing.Output()
	if err != nil || json.Unmarshal(output, &list) != nil {
		return nil
	}
	return list
}

// complete reports whether every server runs, on one timeline, and commits wait for a standby.
func (list members) complete() bool {
	roles, synchronous := map[string]int{}, 0
	for _, m := range list {
		roles[m.Role]++
		if m.State != "running" && m.State != "streaming" || m.TL != list[0].TL {
			return false
		}
		if m.Role == "Sync Standby" {
			synchronous++
		}
	}
	return len(list) == machines && roles["Leader"] == 1 && synchronous > 0
}

// primary returns the machine that answers as the primary.
func (p *patroni) primary(ctx context.Context) (machine int, err error) {
	conn, err := pgx.Connect(ctx, p.address("primary"))
	if err != nil {
		return 0, err
	}
	defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }() // an error of Close does not matter
	err = conn.QueryRow(ctx, `SELECT split_part(host(inet_server_addr()), '.', 4)::int`).Scan(&machine)
	return machine, err
}

// address returns the address of the primary or the standbys, through HAProxy.
func (p *patroni) address(of string) string {
	query := url.Values{"host": {p.path(of)}, "sslmode": {"disable"}, "connect_timeout": {"5"}}
	return "postgres://marketplace:" + databasePassword + "@/marketplace?" + query.Encode()
}

// database is what the service uses: PgBouncer for most, and HAProxy for what needs a session and for
// reads that may be stale.
func (p *patroni) database() database {
	return database{
		socket:  func() string { return p.path("pgbouncer/.s.PGSQL.6432") },
		account: "marketplace:" + databasePassword, name: "marketplace",
		settings: []string{"MARKETPLACE_DATABASE_LISTEN_URL=" + p.address("primary"), "MARKETPLACE_DATABASE_READ_URL=" + p.address("standbys")},
	}
}
