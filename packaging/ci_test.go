package packaging

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// releases serves the files of the release, as its page does.
func releases(t *testing.T) string {
	t.Helper()
	server := httptest.NewServer(http.FileServer(http.Dir(filepath.Dir(releaseFile(t, "checksums.txt")))))
	t.Cleanup(server.Close)
	return server.URL
}

// partner starts a mock partner with the key "secret" from the release's archive.
func partner(t *testing.T, arguments ...string) string {
	t.Helper()
	folder, name := t.TempDir(), "partnerkit_"+version+"_linux_amd64"
	run(t, nil, "tar", "--extract", "--gzip", "--file", releaseFile(t, name+".tar.gz"), "--directory", folder, name+"/mockpartner")
	address := "127.0.0.1:" + freePort(t)
	serve(t, "http://"+address+"/_mock/healthz", exec.Command(filepath.Join(folder, name, "mockpartner"), append([]string{"serve", "--addr", address, "--auth-key", "secret"}, arguments...)...))
	return "http://" + address
}

// fill replaces the expressions of a GitHub action or GitLab component by inputs, or their defaults.
// It fails on others.
func fill(t *testing.T, text string, inputs map[string]string, defaults map[string]struct {
	Default *string `json:"default"`
}) string {
	t.Helper()
	return regexp.MustCompile(`\$\{\{ *(.*?) *\}\}|\$\[\[ *(.*?) *\]\]`).ReplaceAllStringFunc(text, func(expression string) string {
		name := strings.TrimPrefix(strings.Trim(expression, "${}[] "), "inputs.")
		if value, given := inputs[name]; given {
			return value
		}
		if input, known := defaults[name]; known && input.Default != nil {
			return *input.Default
		}
		t.Errorf("expected a value of %s", expression)
		return ""
	})
}

type action struct {
	Inputs map[string]struct {
		Default *string `json:"default"`
	}
	Runs struct {
		Steps []struct {
			Name, Shell, Run, Uses, ID string
			Env                        map[string]string
		}
	}
}

// workflow runs the shell steps of the GitHub action as a runner does, and returns the exit code of
// the last one and what the steps wrote for the runner.
func workflow(t *testing.T, inputs map[string]string) (code int, log, output, summary string) {
	t.Helper()
	var read action
	text, err := os.ReadFile("../action.yml")
	if err == nil {
		err = yaml.Unmarshal(text, &read)
	}
	check(t, err)
	folder := t.TempDir()
	inputs["github.server_url"], inputs["github.action_repository"] = "https://github.com", "OWNER/partnerkit"
	environment := append(os.Environ(), "RUNNER_OS=Linux", "RUNNER_ARCH=X64", "RUNNER_TEMP="+folder+"/temp",
		"GITHUB_PATH="+folder+"/path", "GITHUB_OUTPUT="+folder+"/output", "GITHUB_STEP_SUMMARY="+folder+"/summary")
	for _, step := range read.Runs.Steps {
		if step.Run == "" {
			continue
		}
		command := exec.Command("bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step.Run)
		command.Dir, command.Env = folder, environment
		for name, value := range step.Env {
			command.Env = append(command.Env, name+"="+fill(t, value, inputs, read.Inputs))
		}
		written, err := command.CombinedOutput()
		log += string(written)
		if code = command.ProcessState.ExitCode(); err != nil {
			break
		}
		if added, err := os.ReadFile(folder + "/path"); err == nil {
			environment = append(environment, "PATH="+strings.TrimSpace(string(added))+":"+os.Getenv("PATH"))
		}
	}
	read2 := func(name string) string {
		text, _ := os.ReadFile(filepath.Join(folder, name)) // absent if nothing was written
		return string(text)
	}
	return code, log, read2("output"), read2("summary")
}

func TestGitHubAction(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		partner []string
		code    int
		verdict string
	}{
		"passes a conformant partner":   {code: 0, verdict: "partial"},
		"fails with a partner's defect": {partner: []string{"--defect", "second-confirm-books-again"}, code: 1, verdict: "nonconformant"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, log, output, summary := workflow(t, map[string]string{
				"version": version, "release-url": releases(t), "auth-key": "secret",
				"args": "--depth quick --base-url " + partner(t, c.partner...),
			})
			if code != c.code || output != "verdict="+c.verdict+"\n" || !strings.HasPrefix(summary, "#") {
				t.Errorf("expected exit code %d and the verdict %s, received %d and %q, with the summary %.80q\n%s", c.code, c.verdict, code, output, summary, log)
			}
			if strings.Contains(log, "secret") {
				t.Errorf("the key is in the log:\n%s", log)
			}
		})
	}
}

// serveTampered serves the release with an archive that was changed after its checksum was made.
func serveTampered(t *testing.T) string {
	t.Helper()
	sums, err := os.ReadFile(releaseFile(t, "checksums.txt"))
	check(t, err)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body := []byte("not what was released")
		if strings.HasSuffix(r.URL.Path, "/checksums.txt") {
			body = sums
		}
		_, _ = w.Write(body)
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestGitHubAction_RunsNothingThatWasChanged(t *testing.T) {
	t.Parallel()
	code, log, output, _ := workflow(t, map[string]string{"version": version, "release-url": serveTampered(t)})
	if code == 0 || output != "" || !strings.Contains(log, "FAILED") {
		t.Errorf("expected a wrong checksum to stop the action, received %d and %q\n%s", code, output, log)
	}
}

// pipeline runs the job of the GitLab component as a runner does.
func pipeline(t *testing.T, inputs map[string]string) (code int, log, folder string) {
	t.Helper()
	text, err := os.ReadFile("../templates/conformance.yml")
	check(t, err)
	header, body, split := bytes.Cut(text, []byte("\n---\n"))
	var spec struct {
		Spec struct {
			Inputs map[string]struct {
				Default *string `json:"default"`
			}
		}
	}
	if err := yaml.Unmarshal(header, &spec); err != nil || !split {
		t.Fatalf("expected inputs and jobs, received %v", err)
	}
	var jobs map[string]struct {
		Variables    map[string]string
		BeforeScript []string `json:"before_script"`
		Script       []string
	}
	check(t, yaml.Unmarshal([]byte(fill(t, string(body), inputs, spec.Spec.Inputs)), &jobs))
	job, known := jobs["conformance"]
	if !known {
		t.Fatalf("expected the job conformance, received %v", jobs)
	}
	folder = t.TempDir()
	command := exec.Command("bash", "-eo", "pipefail", "-c", strings.Join(append(job.BeforeScript, job.Script...), "\n"))
	command.Dir, command.Env = folder, append(os.Environ(), "CONFORMANCE_AUTH_KEY=secret")
	for name, value := range job.Variables {
		command.Env = append(command.Env, name+"="+value)
	}
	output, _ := command.CombinedOutput() // the exit code is what matters
	return command.ProcessState.ExitCode(), string(output), folder
}

func TestGitLabComponent(t *testing.T) {
	t.Parallel()
	code, log, folder := pipeline(t, map[string]string{
		"version": version, "release-url": releases(t), "args": "--depth quick --base-url " + partner(t),
	})
	if code != 0 {
		t.Errorf("expected a conformant partner to pass, received %d\n%s", code, log)
	}
	if _, err := os.Stat(filepath.Join(folder, "conformance-report", "junit.xml")); err != nil {
		t.Error(err)
	}
	if code, log, _ := pipeline(t, map[string]string{"version": version, "release-url": serveTampered(t)}); code == 0 || !strings.Contains(log, "FAILED") {
		t.Errorf("expected a wrong checksum to stop the job, received %d\n%s", code, log)
	}
}
