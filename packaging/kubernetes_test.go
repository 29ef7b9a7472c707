package packaging

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

const manifests = "../examples/kubernetes"

// manifest reads a manifest into the type of its kind. A field that Kubernetes does not know fails.
func manifest[T any](t *testing.T, name, version, kind string) T {
	t.Helper()
	var read T
	text, err := os.ReadFile(filepath.Join(manifests, name))
	check(t, err)
	if err := yaml.UnmarshalStrict(text, &read); err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	var is meta.TypeMeta
	check(t, yaml.Unmarshal(text, &is))
	if is.APIVersion != version || is.Kind != kind {
		t.Errorf("%s: expected %s %s, received %s %s", name, version, kind, is.APIVersion, is.Kind)
	}
	return read
}

func selects(t *testing.T, name string, selector *meta.LabelSelector, labels map[string]string) {
	t.Helper()
	if selector == nil || len(selector.MatchLabels) == 0 {
		t.Errorf("%s: expected a selector", name)
		return
	}
	for label, value := range selector.MatchLabels {
		if labels[label] != value {
			t.Errorf("%s selects %s=%s, which the pods do not have", name, label, value)
		}
	}
}

func TestKubernetes_KustomizationNamesEveryManifest(t *testing.T) {
	t.Parallel()
	var kustomization struct {
		meta.TypeMeta `json:",inline"`
		Resources     []string `json:"resources"`
	}
	text, err := os.ReadFile(filepath.Join(manifests, "kustomization.yaml"))
	check(t, err)
	check(t, yaml.UnmarshalStrict(text, &kustomization))
	files, err := filepath.Glob(manifests + "/*.yaml")
	if err != nil || len(files) != len(kustomization.Resources)+1 {
		t.Fatalf("expected all manifests in the kustomization, received %q of %q, %v", kustomization.Resources, files, err)
	}
	for _, name := range kustomization.Resources {
		if _, err := os.Stat(filepath.Join(manifests, name)); err != nil {
			t.Error(err)
		}
	}
}

func TestKubernetes_DeploymentCanBeReplacedAndProbed(t *testing.T) {
	t.Parallel()
	deployment := manifest[apps.Deployment](t, "deployment.yaml", "apps/v1", "Deployment")
	pods := deployment.Spec.Template
	selects(t, "the deployment", deployment.Spec.Selector, pods.Labels)
	if len(pods.Spec.TopologySpreadConstraints) == 0 {
		t.Fatal("expected the replicas to be spread")
	}
	for _, spread := range pods.Spec.TopologySpreadConstraints {
		selects(t, "the spread over "+spread.TopologyKey, spread.LabelSelector, pods.Labels)
	}
	container := pods.Spec.Containers[0]
	for name, probe := range map[string]*core.Probe{"/healthz": container.LivenessProbe, "/readyz": container.ReadinessProbe} {
		if probe == nil || probe.HTTPGet == nil || probe.HTTPGet.Path != name {
			t.Errorf("expected a probe of %s, received %v", name, probe)
		}
	}
	if container.StartupProbe == nil {
		t.Error("expected a startup probe")
	}
	for _, name := range []core.ResourceName{core.ResourceCPU, core.ResourceMemory} {
		if container.Resources.Requests.Name(name, "").IsZero() {
			t.Errorf("expected a request of %s", name)
		}
	}
	if container.Resources.Limits.Memory().IsZero() {
		t.Error("expected a limit of memory")
	}
	if as := container.SecurityContext; as == nil || as.ReadOnlyRootFilesystem == nil || !*as.ReadOnlyRootFilesystem || as.AllowPrivilegeEscalation == nil || *as.AllowPrivilegeEscalation {
		t.Errorf("expected minimal rights, received %v", as)
	}
	if as := pods.Spec.SecurityContext; as == nil || as.RunAsNonRoot == nil || !*as.RunAsNonRoot {
		t.Errorf("expected an unprivileged user, received %v", as)
	}

	service := manifest[core.Service](t, "service.yaml", "v1", "Service")
	selects(t, "the service", &meta.LabelSelector{MatchLabels: service.Spec.Selector}, pods.Labels)
	if port := service.Spec.Ports[0].TargetPort.String(); port != container.Ports[0].Name {
		t.Errorf("expected the service to use the port %q, received %q", container.Ports[0].Name, port)
	}

	budget := manifest[policy.PodDisruptionBudget](t, "disruption.yaml", "policy/v1", "PodDisruptionBudget")
	selects(t, "the disruption budget", budget.Spec.Selector, pods.Labels)
	if least := budget.Spec.MinAvailable; least == nil || least.IntValue() >= int(*deployment.Spec.Replicas) {
		t.Errorf("expected a budget that lets one of %d replicas go, received %v", *deployment.Spec.Replicas, least)
	}

	network := manifest[networking.NetworkPolicy](t, "network.yaml", "networking.k8s.io/v1", "NetworkPolicy")
	selects(t, "the network policy", &network.Spec.PodSelector, pods.Labels)
	if len(network.Spec.PolicyTypes) != 2 || len(network.Spec.Ingress) == 0 || len(network.Spec.Egress) == 0 {
		t.Errorf("expected a policy for both directions, received %v", network.Spec)
	}

	config := manifest[core.ConfigMap](t, "config.yaml", "v1", "ConfigMap")
	if from := container.EnvFrom[0].ConfigMapRef; from == nil || from.Name != config.Name {
		t.Errorf("expected the settings from the config map %s, received %v", config.Name, from)
	}
	if port := container.Ports[0].ContainerPort; !strings.HasSuffix(config.Data["MARKETPLACE_ADDR"], ":8080") || port != 8080 {
		t.Errorf("expected one port, received %q and %d", config.Data["MARKETPLACE_ADDR"], port)
	}
}
