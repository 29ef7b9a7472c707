package main

import (
	"cmp"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"partnerkit.dev/internal/tooltest"
)

// surrounding is what a machine does to a service that runs there.
type surrounding struct {
	folder    string   // the name of its data folder; "" is a plain one
	variables []string // in addition to PATH and TMPDIR, or instead of them
	shell     string   // is run before the service, in its process
	refused   string   // the words of the error, if it cannot start
}

// longName makes the path of a socket too long.
var longName = strings.Repeat("a-long-name-", 10)

// hostile are surroundings in which a service with a private PostgreSQL starts, or says what to
// change. The private PostgreSQL knows none of them.
var hostile = map[string]surrounding{
	"a folder with spaces":               {folder: " with  spaces "},
	"a folder with a comma":              {folder: "one,two"},
	"a folder with quotes":               {folder: `it's "quoted"`},
	"a folder with percent signs":        {folder: "100%41%"},
	"a folder with a query":              {folder: "a?host=x&port=1#end"},
	"a folder for a shell":               {folder: "$HOME `id` ;&|<>*[x]{y}~!"},
	"a folder with backslashes":          {folder: `a\b\,c\`},
	"a folder in other alphabets":        {folder: "Bücher ☃ 旅行 \xff"},
	"a folder like a flag":               {folder: "-D=x"},
	"a long folder with a comma":         {folder: longName + ",x"},
	"a folder with a line break":         {folder: "two\nlines", refused: "contains a line break: choose another data folder"},
	"a service file":                     {variables: []string{"PGSERVICE=other", "PGSERVICEFILE=/nowhere"}},
	"options":                            {variables: []string{"PGOPTIONS=-c no.such=1 --unknown"}},
	"a zone":                             {variables: []string{"PGTZ=Mars/Olympus", "TZ=Mars/Olympus"}},
	"session attributes":                 {variables: []string{"PGTARGETSESSIONATTRS=standby"}},
	"a timeout":                          {variables: []string{"PGCONNECT_TIMEOUT=soon"}},
	"channel binding":                    {variables: []string{"PGCHANNELBINDING=require", "PGREQUIREAUTH=gss"}},
	"another server":                     {variables: []string{"PGHOST=a,b", "PGPORT=1,2,3", "PGUSER=x", "PGDATABASE=x", "PGPASSWORD=hush", "PGPASSFILE=/dev/zero"}},
	"TLS":                                {variables: []string{"PGSSLMODE=verify-full", "PGSSLROOTCERT=/nowhere", "PGSSLCERT=/nowhere", "PGSSLCERTMODE=", "PGSSLNEGOTIATION=x"}},
	"another protocol":                   {variables: []string{"PGMINPROTOCOLVERSION=9.9", "PGAPPNAME=\x01", "PGCLIENTENCODING=x"}},
	"variables of the server":            {variables: []string{"PGDATA=/nowhere", "PGCTLTIMEOUT=x", "PG_OOM_ADJUST_FILE=/nowhere", "PGLOCALEDIR=/nowhere"}},
	"an unknown locale":                  {variables: []string{"LC_ALL=xx_YY.UTF-8", "LANG=zz", "LANGUAGE=q"}},
	"a Turkish locale":                   {variables: []string{"LC_ALL=tr_TR.ISO-8859-9"}},
	"no home":                            {variables: []string{"HOME="}},
	"a home that is a file":              {variables: []string{"HOME=/dev/null", "XDG_DATA_HOME=relative", "XDG_CACHE_HOME=/dev/null"}},
	"files for their owner only":         {shell: "umask 077"},
	"files that no user can read":        {shell: "umask 777"},
	"files that everybody can write":     {shell: "umask 000"},
	"no PATH":                            {variables: []string{"PATH="}},
	"no temporary folder":                {variables: []string{"TMPDIR=/nowhere/at/all"}, folder: longName},
	"a temporary folder with a comma":    {variables: []string{"TMPDIR=/tmp/a,b"}, folder: longName},
	"a clock an hour ahead":              {variables: []string{clockAhead + "=1h"}},
	"a clock an hour behind":             {variables: []string{clockAhead + "=-1h"}},
	"a full temporary folder (for root)": {shell: `mkdir -p "$FULL" && mount -t tmpfs -o size=4k full "$FULL" && { head -c 8192 /dev/zero > "$FULL/x" || true; } 2> /dev/null; export TMPDIR="$FULL"`, folder: longName},
}

// together are surroundings at the same time.
func together(all map[string]surrounding, folder string, names ...string) surrounding {
	sum := surrounding{folder: folder}
	for _, name := range names {
		sum.variables = append(sum.variables, all[name].variables...)
		sum.shell += all[name].shell + "\n"
	}
	return sum
}

// JOURNEYS=1 tries every surrounding by itself, otherwise all are tried together: a database that is
// made there, and then found there.
func TestAServiceStartsInHostileSurroundings(t *testing.T) {
	t.Parallel()
	if installed, err := filepath.Glob("/usr/lib/postgresql/*/bin/postgres"); len(installed) == 0 {
		tooltest.Skip(t, tooltest.PostgreSQL, err)
	}
	above, err := os.MkdirTemp("", "marketplace-test-")
	must(t, err)
	t.Cleanup(func() { _ = os.RemoveAll(above) })
	must(t, os.Chmod(above, 0o711)) // for PostgreSQL's user, if root runs the test
	at := ""
	try := func(name string, s surrounding) {
		folder := filepath.Join(above, cmp.Or(s.folder, "data"))
		if s.refused == "" && at != folder {
			if at != "" {
				must(t, os.Rename(at, folder)) // one database for all: creating it takes longest
			}
			at = folder
		}
		t.Run(name, func(t *testing.T) { s.try(t, folder, filepath.Join(above, "full")) })
	}
	var harmless []string
	for name, s := range hostile {
		if s.folder == "" {
			harmless = append(harmless, name)
		}
	}
	slices.Sort(harmless) // of two umasks and clocks the last one counts
	try("all at the same time", together(hostile, `it's "100%", with spaces ☃ `, harmless...))
	for _, name := range slices.Sorted(maps.Keys(hostile)) {
		if s := hostile[name]; os.Getenv("JOURNEYS") != "" || s.refused != "" {
			try(name, s)
		}
	}
}

// try requires that a service starts in the surrounding with that data folder, or is refused.
func (s surrounding) try(t *testing.T, folder, full string) {
	if strings.Contains(s.shell, "mount") && os.Geteuid() != 0 {
		t.Skip("only root fills a file system of its own")
	}
	args := []string{"serve", "--addr", "127.0.0.1:0", "--data-dir", folder}
	variables := append([]string{"FULL=" + full}, s.variables...)
	process := command(t, variables, args...)
	if s.shell != "" {
		before := []string{"/bin/sh", "-c", s.shell + "\nexec \"$0\" \"$@\"", process.Path}
		if strings.Contains(s.shell, "mount") {
			before = append([]string{"/usr/bin/unshare", "--mount"}, before...)
		}
		process.Path, process.Args = before[0], append(before, args...)
	}
	if s.refused != "" {
		runProcess(t, process, "").fails(t, s.refused)
		return
	}
	started := awaitService(t, process)
	if status, body := started.ask(t, "GET", "/readyz", "", http.Header{}); status != http.StatusOK {
		t.Errorf("Expected a ready service, received %d: %s", status, body)
	}
	started.stop(t)
}
