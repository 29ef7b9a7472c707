//go:build unix

package pgembed_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"partnerkit.dev/internal/errtest"
	"partnerkit.dev/internal/tooltest"
	"partnerkit.dev/marketplace/internal/pgembed"
	"partnerkit.dev/marketplace/internal/waittest"
)

// childFolder makes the test binary act as a separate service. It starts a server in that folder,
// reports that, and waits to be killed.
const childFolder = "PGEMBED_TEST_FOLDER"

func TestMain(m *testing.M) {
	if dir := os.Getenv(childFolder); dir != "" {
		server, err := pgembed.Start(context.Background(), pgembed.ForTests(dir))
		if err != nil {
			fmt.Println("failed:", err)
			os.Exit(1)
		}
		fmt.Println("ready", server.URL("postgres"))
		select {}
	}
	os.Exit(m.Run())
}

// folder returns a new folder that any user can reach, with a name that means something to patterns and
// addresses. The users that run PostgreSQL for root cannot reach t.TempDir.
func folder(t *testing.T) string {
	t.Helper()
	return folderNamed(t, "[test] 100%41 it's-")
}

func folderNamed(t *testing.T, name string) string {
	t.Helper()
	dir, err := os.MkdirTemp("", name)
	must(t, err)
	t.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			t.Error(err)
		}
	})
	must(t, os.Chmod(dir, 0o711))
	return dir
}

func start(t *testing.T, dir string) *pgembed.Server {
	t.Helper()
	return startAs(t, pgembed.ForTests(dir))
}

func startAs(t *testing.T, config pgembed.Config) *pgembed.Server {
	t.Helper()
	server, err := pgembed.Start(t.Context(), config)
	if config.SHA256 == "" && errors.Is(err, pgembed.ErrNoBinaries) { // not in tests of the download
		tooltest.Skip(t, tooltest.PostgreSQL, err)
	}
	must(t, err)
	t.Cleanup(func() { stop(t, server) })
	return server
}

func stop(t *testing.T, server *pgembed.Server) {
	t.Helper()
	if err := server.Stop(context.Background()); err != nil {
		t.Error(err)
	}
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	must(t, err)
	t.Cleanup(func() { _ = conn.Close(context.Background()) }) // its server may have ended
	return conn
}

// remember stores data that recalled reads.
func remember(t *testing.T, url string) {
	t.Helper()
	if _, err := connect(t, url).Exec(t.Context(), "CREATE TABLE kept AS SELECT 'still here' AS word"); err != nil {
		t.Fatal(err)
	}
}

func requireRow(t *testing.T, url string) {
	t.Helper()
	if got := ask(t, url, "SELECT word FROM kept"); got != "still here" {
		t.Errorf("want the row, got %q", got)
	}
}

// ask runs a statement with one text as its result.
func ask(t *testing.T, url, statement string) string {
	t.Helper()
	conn := connect(t, url)
	var text string
	must(t, conn.QueryRow(t.Context(), statement).Scan(&text))
	return text
}

// A killed server is restarted with its data, at the same address. If it is killed again
// immediately, it is not restarted within a minute, and the keeper can still stop.
func TestAKilledServerIsStartedAgainOnceAMinuteAtMost(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	config := pgembed.ForTests(dir)
	config.Disposable = false
	server, err := pgembed.Start(t.Context(), config)
	if errors.Is(err, pgembed.ErrNoBinaries) {
		tooltest.Skip(t, tooltest.PostgreSQL, err)
	}
	must(t, err)
	url := server.URL("postgres")
	kept := pgembed.Keep(server, config, slog.New(slog.NewTextHandler(t.Output(), nil)))
	remember(t, url)
	busy := connect(t, url)
	first := postmaster(t, dir)
	must(t, syscall.Kill(first, syscall.SIGKILL))
	waittest.Until(t, "another server", func() bool { return postmaster(t, dir) != first && kept.IsRunning() })
	requireRow(t, url)
	if _, err := busy.Exec(t.Context(), "SELECT 1"); err == nil {
		t.Error("want the connections to the killed server gone")
	}
	must(t, syscall.Kill(postmaster(t, dir), syscall.SIGKILL))
	waittest.Until(t, "no server", func() bool { return !kept.IsRunning() })
	must(t, kept.Stop(t.Context()))
	requireRow(t, start(t, dir).URL("postgres"))
}

// A server that does not respond to signals, such as a suspended one, does not block the service's
// shutdown.
func TestAStoppedServerIsEnded(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	server := start(t, dir)
	must(t, syscall.Kill(postmaster(t, dir), syscall.SIGSTOP))
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	must(t, server.Stop(ctx))
	select {
	case <-server.Exited():
	default:
		t.Error("want it ended")
	}
}

// postmaster returns the id of the server's process in a folder, or 0.
func postmaster(t *testing.T, dir string) int {
	t.Helper()
	text, _ := os.ReadFile(filepath.Join(dir, "data", "postmaster.pid")) // the file may not exist
	first, _, _ := strings.Cut(string(text), "\n")
	pid, _ := strconv.Atoi(first)
	return pid
}

func TestTheServerListensOnNoPortAndRequiresThePassword(t *testing.T) {
	t.Parallel()
	url := start(t, folder(t)).URL("postgres")
	if got := ask(t, url, "SHOW listen_addresses"); got != "" {
		t.Errorf("want no address, got %q", got)
	}
	config, err := pgx.ParseConfig(url)
	must(t, err)
	config.Password = "a guess"
	if conn, err := pgx.ConnectConfig(t.Context(), config); err == nil {
		_ = conn.Close(context.Background())
		t.Error("want a wrong password refused")
	}
}

func TestAFolderThatIsInUseIsRefused(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	server := start(t, dir)
	_, err := pgembed.Start(t.Context(), pgembed.Config{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "another service is using the folder "+dir) {
		t.Errorf("want the second start refused, got %v", err)
	}
	if got := ask(t, server.URL("postgres"), "SELECT 'alive'"); got != "alive" {
		t.Errorf("want the first server left alone, got %q", got)
	}
}

// A killed service leaves its server running, or the files of its killed server.
func TestAServerThatWasLeftBehindIsTakenOver(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	stop(t, start(t, folder(t))) // skips the test without PostgreSQL
	service := exec.Command(os.Args[0])
	service.Env = append(os.Environ(), childFolder+"="+dir)
	out, err := service.StdoutPipe()
	must(t, err)
	must(t, service.Start())
	line, _ := bufio.NewReader(out).ReadString('\n')
	url, ok := strings.CutPrefix(strings.TrimSpace(line), "ready ")
	if !ok {
		t.Fatalf("want a service, got %q", line)
	}
	remember(t, url)
	must(t, service.Process.Kill())
	_ = service.Wait() // it was killed, so it fails
	requireRow(t, start(t, dir).URL("postgres"))
}

func TestAServerThatDiedUncleanlyIsRecovered(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	config := pgembed.ForTests(dir)
	config.Disposable = false
	server := startAs(t, config)
	remember(t, server.URL("postgres"))
	text, err := os.ReadFile(filepath.Join(dir, "data", "postmaster.pid"))
	must(t, err)
	pid := postmaster(t, dir)
	must(t, syscall.Kill(pid, syscall.SIGQUIT))
	<-server.Exited()
	stop(t, server)
	// Another process has its number now: this test.
	stale := strings.Replace(string(text), strconv.Itoa(pid), strconv.Itoa(os.Getpid()), 1)
	must(t, os.WriteFile(filepath.Join(dir, "data", "postmaster.pid"), []byte(stale), 0o644))
	requireRow(t, start(t, dir).URL("postgres"))
}

func TestAPathTooLongForASocketIsNoObstacle(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(folder(t), strings.Repeat("a-long-name-", 10))
	if got := ask(t, start(t, dir).URL("postgres"), "SELECT 'alive'"); got != "alive" {
		t.Errorf("want a server, got %q", got)
	}
}

// Downloaded programs lie below the folder, and initdb starts postgres through a shell.
func TestAFolderThatAShellMisreadsIsNoObstacleForTheMachinesPrograms(t *testing.T) {
	t.Parallel()
	config := pgembed.ForTests(folderNamed(t, "a `b` \"c\" \\d $HOME-"))
	config.Registry = ""
	if got := ask(t, startAs(t, config).URL("postgres"), "SELECT 'alive'"); got != "alive" {
		t.Errorf("want a server, got %q", got)
	}
}

// Everyone may create files in /tmp.
func TestALinkInPlaceOfTheSocketsFolderIsRefused(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(folder(t), strings.Repeat("a-long-name-", 10))
	must(t, os.Mkdir(dir, 0o711))
	info, err := os.Stat(dir)
	must(t, err)
	target := t.TempDir()
	link := fmt.Sprintf("/tmp/marketplace-%d-%d", os.Geteuid(), info.Sys().(*syscall.Stat_t).Ino)
	must(t, os.Symlink(target, link))
	t.Cleanup(func() { _ = os.Remove(link) })
	before, err := os.Stat(target)
	must(t, err)
	_, err = pgembed.Start(t.Context(), pgembed.ForTests(dir))
	after, statErr := os.Stat(target)
	must(t, statErr)
	if err == nil || !strings.Contains(err.Error(), link+" is not a folder of this user") || after.Mode() != before.Mode() {
		t.Errorf("Expected the link to be refused and its target unchanged, received %v and %s", err, after.Mode())
	}
}

func TestAnInaccessibleFolderIsNamed(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root hands the server to another user")
	}
	closed := filepath.Join(folder(t), "closed")
	must(t, os.Mkdir(closed, 0o700))
	_, err := pgembed.Start(t.Context(), pgembed.Config{Dir: filepath.Join(closed, "below")})
	if err == nil || !strings.Contains(err.Error(), "cannot access "+closed+":") || strings.Contains(err.Error(), "\n") {
		t.Errorf("want %s named in one line, got %v", closed, err)
	}
}

func TestDataOfAVersionThatIsNotHereIsLeftAlone(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	data := filepath.Join(dir, "data")
	must(t, os.Mkdir(data, 0o700))
	must(t, os.WriteFile(filepath.Join(data, "PG_VERSION"), []byte("9\n"), 0o600))
	_, err := pgembed.Start(t.Context(), pgembed.Config{Dir: dir})
	if err == nil || !strings.Contains(err.Error(), "was made by PostgreSQL 9") {
		t.Errorf("want the version named, got %v", err)
	}
}

func TestAStartThatIsInterruptedLeavesNothingHalfMade(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := pgembed.Start(ctx, pgembed.ForTests(dir)); !errors.Is(err, context.Canceled) {
		t.Errorf("want the context's error, got %v", err)
	}
	if got := ask(t, start(t, dir).URL("postgres"), "SELECT 'alive'"); got != "alive" {
		t.Errorf("want a server, got %q", got)
	}
}

// must ends the test on an error.
var must = errtest.Check

func TestTheLogOfTheServerHoldsNoRow(t *testing.T) {
	t.Parallel()
	dir := folder(t)
	server := start(t, dir)
	conn, err := pgx.Connect(t.Context(), server.URL("postgres"))
	must(t, err)
	defer conn.Close(t.Context())
	for _, statement := range []string{
		`CREATE TABLE guests (id int PRIMARY KEY, email text UNIQUE, CHECK (id > 0))`, `INSERT INTO guests VALUES (1, 'ana@example.com')`,
		`INSERT INTO guests VALUES (2, 'ana@example.com')`, `INSERT INTO guests VALUES (-1, 'ana@example.com')`, `SELECT * FROM guests WHERE id::text || 'ana@example.com'`,
	} {
		_, _ = conn.Exec(t.Context(), statement) // three statements fail
	}
	text, err := os.ReadFile(filepath.Join(dir, "postgresql.log"))
	must(t, err)
	if !strings.Contains(string(text), "guests_email_key") || strings.Contains(string(text), "ana@example.com") {
		t.Errorf("want the violated constraint logged, and no row, got %s", text)
	}
}
