package packaging

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Installed into a folder, so that the machine keeps its own packages. Scripts do nothing there.
func TestDebianPackages_InstallRunAndLeave(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	dpkg := func(arguments ...string) string {
		t.Helper()
		return run(t, nil, "dpkg", append([]string{"--root=" + root, "--force-not-root", "--force-depends", "--force-script-chrootless", "--log=/dev/null"}, arguments...)...)
	}
	dpkg("--install", releaseFile(t, "partnerkit_0.0.0~test_amd64.deb"), releaseFile(t, "partnerkit-marketplace_0.0.0~test_all.deb"))
	requireInstalled(t, root)

	// The service starts with the installed settings, as the unit starts it.
	unit, err := os.ReadFile(filepath.Join(root, "usr/lib/systemd/system/marketplace.service"))
	check(t, err)
	service := regexp.MustCompile(`(?m)^ExecStart=(/\S+) (.*)$`).FindStringSubmatch(string(unit))
	settings := regexp.MustCompile(`(?m)^EnvironmentFile=(/\S+)$`).FindStringSubmatch(string(unit))
	if service == nil || settings == nil {
		t.Fatalf("expected ExecStart and EnvironmentFile in the unit, received\n%s", unit)
	}
	text, err := os.ReadFile(filepath.Join(root, settings[1]))
	check(t, err)
	start := exec.Command(filepath.Join(root, service[1]), strings.Fields(service[2])...)
	start.Env = append(os.Environ(), regexp.MustCompile(`(?m)^[A-Z_]+=.*$`).FindAllString(string(text), -1)...)
	port := freePort(t)
	start.Env = append(start.Env, "MARKETPLACE_ADDR=127.0.0.1:"+port, "MARKETPLACE_DATA_DIR="+filepath.Join(newReachableFolder(t), "data"))
	t.Logf("the installed service answers /readyz after %v, with a new private PostgreSQL", serve(t, "http://127.0.0.1:"+port+"/readyz", start).Round(1e7))

	dpkg("--remove", "partnerkit-marketplace", "partnerkit")
	if _, err := os.Stat(filepath.Join(root, "usr/bin/marketplace")); err == nil {
		t.Error("expected no program after the removal")
	}
	if _, err := os.Stat(filepath.Join(root, settings[1])); err != nil {
		t.Errorf("expected a removal to leave the settings: %v", err)
	}
	dpkg("--purge", "partnerkit-marketplace")
	if _, err := os.Stat(filepath.Join(root, settings[1])); err == nil {
		t.Error("expected no settings after a purge")
	}
}

func TestRPMPackages_Install(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	rpm := func(arguments ...string) string {
		t.Helper()
		return run(t, nil, "rpm", append([]string{"--root", root, "--dbpath", "/var/lib/rpm"}, arguments...)...)
	}
	rpm("--install", "--nodeps", "--noscripts", releaseFile(t, "partnerkit-0.0.0~test-1.x86_64.rpm"), releaseFile(t, "partnerkit-marketplace-0.0.0~test-1.noarch.rpm"))
	requireInstalled(t, root)
	rpm("--verify", "--nodeps", "partnerkit", "partnerkit-marketplace")
	if scripts := rpm("--query", "--scripts", "partnerkit-marketplace"); !strings.Contains(scripts, "systemctl try-restart marketplace.service") {
		t.Errorf("expected the script that restarts the service after an update, received %q", scripts)
	}
}

// requireInstalled checks the files that both kinds of package install.
func requireInstalled(t *testing.T, root string) {
	t.Helper()
	for _, command := range []string{"conformance", "marketplace", "mockpartner", "octobridge"} {
		if got := run(t, nil, filepath.Join(root, "usr/bin", command), "--version"); !strings.HasPrefix(got, command+" v"+version+", commit ") {
			t.Errorf("expected the version of the release, received %q", got)
		}
		for _, file := range []string{"man/man1/" + command + ".1", "bash-completion/completions/" + command, "fish/vendor_completions.d/" + command + ".fish", "doc/partnerkit/sbom/" + command + ".cdx.json"} {
			if _, err := os.Stat(filepath.Join(root, "usr/share", file)); err != nil {
				t.Error(err)
			}
		}
	}
	settings, err := os.Stat(filepath.Join(root, "etc/partnerkit/marketplace.env"))
	check(t, err)
	if settings.Mode().Perm() != 0o600 {
		t.Errorf("expected settings that only root can read, received the mode %v", settings.Mode())
	}
}

func TestUnit_IsValidAndConfined(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("marketplace.service")
	check(t, err)
	// systemd checks that the program exists.
	unit := filepath.Join(t.TempDir(), "marketplace.service")
	check(t, os.WriteFile(unit, []byte(strings.Replace(string(text), "=/usr/bin/marketplace ", "=/bin/true ", 1)), 0o600))
	if output := run(t, nil, "systemd-analyze", "verify", "--man=no", unit); strings.Contains(output, "marketplace.service:") {
		t.Errorf("expected a valid unit, received %s", output)
	}
	// It fails above an exposure of 2.0 of 10.
	output := run(t, nil, "systemd-analyze", "security", "--no-pager", "--offline=true", "--threshold=20", unit)
	t.Log(output[strings.LastIndex(strings.TrimSpace(output), "\n")+1:])
}
