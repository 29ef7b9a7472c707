package examples_test

import (
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/goccy/go-yaml"
)

// strictly reads a YAML file in which every key has to be one of the value's.
func strictly(t *testing.T, path string, value any) {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := yaml.UnmarshalWithOptions(text, value, yaml.Strict()); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
}

func file(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// settings are the marketplace's variables, from the table that is made from its code, and
// the mock's, from its code.
func settings(t *testing.T) (names []string) {
	t.Helper()
	table := file(t, "../docs/operations.md")
	for _, found := range regexp.MustCompile("<br>`(MARKETPLACE_[A-Z_]+)`").FindAllStringSubmatch(table, -1) {
		names = append(names, found[1])
	}
	for _, found := range regexp.MustCompile(`"(MOCKPARTNER_[A-Z_]+)"`).FindAllStringSubmatch(file(t, "../mockpartner/cmd/mockpartner/options.go"), -1) {
		names = append(names, found[1])
	}
	if len(names) < 15 {
		t.Fatalf("want the settings found, got %v", names)
	}
	return names
}

// isSetting fails the test where a variable is nobody's: one of ours, Go's or PostgreSQL's.
func isSetting(t *testing.T, all []string, name string) {
	t.Helper()
	others := []string{"GOMEMLIMIT", "POSTGRES_USER", "POSTGRES_DB", "POSTGRES_PASSWORD_FILE"}
	if !slices.Contains(all, name) && !slices.Contains(others, name) {
		t.Errorf("%s: want a setting of the marketplace or the mock", name)
	}
}

// Of the compose file's form, what the example has; the loader of Compose has taken it.
type compose struct {
	Name     string
	Services map[string]struct {
		Image       string
		Build       struct{ Context, Target string }
		Command     []string
		Environment map[string]string
		Ports       []string
		Volumes     []string
		Secrets     []string
		DependsOn   map[string]struct{ Condition string } `yaml:"depends_on"`
		Healthcheck struct {
			Test              []string
			Interval, Timeout string
			StartPeriod       string `yaml:"start_period"`
			Retries           int
		}
		StopGracePeriod string `yaml:"stop_grace_period"`
		Restart         string
		User            string
		ReadOnly        bool     `yaml:"read_only"`
		CapDrop         []string `yaml:"cap_drop"`
		SecurityOpt     []string `yaml:"security_opt"`
	}
	Secrets map[string]struct{ Environment string }
	Volumes map[string]any
}

func TestTheComposeFileNamesOnlyWhatThereIs(t *testing.T) {
	t.Parallel()
	var c compose
	strictly(t, "compose/compose.yaml", &c)
	known, image := settings(t), file(t, "../Dockerfile")
	for name, service := range c.Services {
		for variable := range service.Environment {
			isSetting(t, known, variable)
		}
		for _, volume := range service.Volumes {
			source, _, _ := strings.Cut(volume, ":")
			if _, named := c.Volumes[source]; named {
				continue
			}
			if _, err := os.Stat(filepath.Join("compose", source)); err != nil {
				t.Errorf("%s: %v", name, err)
			}
		}
		for on, how := range service.DependsOn {
			if how.Condition == "service_healthy" && len(c.Services[on].Healthcheck.Test) == 0 {
				t.Errorf("%s: waits for %s to be healthy, which has no health check", name, on)
			}
		}
		for _, port := range service.Ports {
			if !strings.HasPrefix(port, "127.0.0.1:") {
				t.Errorf("%s: want its port on this machine only, got %s", name, port)
			}
		}
		if service.Build.Target == "" {
			continue // not of ours
		}
		source := "../" + service.Build.Target + "/cmd/" + service.Build.Target
		flags := file(t, source+"/serve.go")
		if settings, err := os.ReadFile(source + "/settings.go"); err == nil {
			flags += string(settings)
		}
		binary := "/" + service.Build.Target
		if !strings.Contains(image, "FROM base AS "+service.Build.Target+"\n") || !strings.Contains(image, `ENTRYPOINT ["`+binary+`"]`) {
			t.Errorf("%s: want the image %s in the Dockerfile, with %s as its entrypoint", name, service.Build.Target, binary)
		}
		if test := service.Healthcheck.Test; !slices.Equal(test, []string{"CMD", binary, "health"}) || !strings.Contains(file(t, source+"/health.go"), `"health"`) {
			t.Errorf("%s: want it asked by its own command, got %v", name, test)
		}
		if service.Command[0] != "serve" || service.Image != "partnerkit/"+service.Build.Target {
			t.Errorf("%s: want its command served, got %v", name, service.Command)
		}
		for _, word := range service.Command[1:] {
			if flag, is := strings.CutPrefix(word, "--"); is && !strings.Contains(flags, strconv.Quote(flag)) {
				t.Errorf("%s: %s has no flag --%s", name, service.Build.Target, flag)
			}
		}
		if !service.ReadOnly || service.User == "" || strings.HasPrefix(service.User, "0") || !slices.Equal(service.CapDrop, []string{"ALL"}) {
			t.Errorf("%s: want it without rights that it does not need, got %+v", name, service)
		}
	}
}

// What has to be set is in the example of .env, and nothing else.
func TestTheExampleOfAnEnvironmentSetsWhatTheComposeFileWants(t *testing.T) {
	t.Parallel()
	wanted, given := map[string]bool{}, map[string]bool{}
	for _, found := range regexp.MustCompile(`\$\{([A-Z_]+)|environment: ([A-Z_]+)`).FindAllStringSubmatch(file(t, "compose/compose.yaml"), -1) {
		wanted[found[1]+found[2]] = true
	}
	for line := range strings.Lines(file(t, "compose/example.env")) {
		if name, _, is := strings.Cut(line, "="); is && !strings.HasPrefix(line, "#") {
			given[name] = true
			if !wanted[name] {
				t.Errorf("%s is set, and not used", name)
			}
		}
	}
	for name := range wanted {
		if !given[name] {
			t.Errorf("%s is used, and not set", name)
		}
	}
}

func TestTheRecipesOfContinuousIntegrationStartWaitJudgeAndKeepTheReport(t *testing.T) {
	t.Parallel()
	for name, words := range map[string][]string{
		"github-actions.yml": {"pull_request:", "actions/upload-artifact@", "report.md", "if: always()"},
		"gitlab-ci.yml":      {"merge_request_event", "junit: conformance-report/junit.xml", "when: always"},
		"Jenkinsfile":        {"changeRequest()", "junit 'conformance-report/junit.xml'", "always {"},
	} {
		text := file(t, filepath.Join("ci", name))
		for _, word := range append(words, "--retry-all-errors", "127.0.0.1:8082/products?limit=1", "run --profile local ", "CONFORMANCE_AUTH_KEY", "-addr 127.0.0.1:8082") {
			if !strings.Contains(text, word) {
				t.Errorf("%s: want %q", name, word)
			}
		}
		if strings.Contains(text, "conformance run") && regexp.MustCompile(`conformance run[^\n]*(\|\||;)`).MatchString(text) {
			t.Errorf("%s: want the suite's exit code to be the job's", name)
		}
	}
}
