package examples_test

import (
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// Of the forms of Kubernetes, what the manifests have; its own types have taken them.

// Object is what all of them are.
type Object struct {
	APIVersion string `yaml:"apiVersion"`
	Kind       string
	Metadata   metadata
}

type metadata struct {
	Name   string
	Labels map[string]string
}

type selector struct {
	MatchLabels map[string]string `yaml:"matchLabels"`
}

type configMap struct {
	Object `yaml:",inline"`
	Data   map[string]string
}

type deployment struct {
	Object `yaml:",inline"`
	Spec   struct {
		Replicas int
		Strategy struct {
			Type          string
			RollingUpdate struct {
				MaxSurge       int `yaml:"maxSurge"`
				MaxUnavailable int `yaml:"maxUnavailable"`
			} `yaml:"rollingUpdate"`
		}
		Selector selector
		Template struct {
			Metadata metadata
			Spec     pod
		}
	}
}

type pod struct {
	AutomountServiceAccountToken  *bool `yaml:"automountServiceAccountToken"`
	TerminationGracePeriodSeconds int   `yaml:"terminationGracePeriodSeconds"`
	TopologySpreadConstraints     []struct {
		MaxSkew           int      `yaml:"maxSkew"`
		TopologyKey       string   `yaml:"topologyKey"`
		WhenUnsatisfiable string   `yaml:"whenUnsatisfiable"`
		LabelSelector     selector `yaml:"labelSelector"`
	} `yaml:"topologySpreadConstraints"`
	SecurityContext struct {
		RunAsNonRoot   bool                  `yaml:"runAsNonRoot"`
		RunAsUser      int                   `yaml:"runAsUser"`
		RunAsGroup     int                   `yaml:"runAsGroup"`
		SeccompProfile struct{ Type string } `yaml:"seccompProfile"`
	} `yaml:"securityContext"`
	Containers []container
}

type container struct {
	Name, Image string
	Args        []string
	EnvFrom     []struct {
		ConfigMapRef struct{ Name string } `yaml:"configMapRef"`
	} `yaml:"envFrom"`
	Env []struct {
		Name      string
		ValueFrom struct {
			SecretKeyRef struct{ Name, Key string } `yaml:"secretKeyRef"`
		} `yaml:"valueFrom"`
	}
	Ports []struct {
		Name          string
		ContainerPort int `yaml:"containerPort"`
	}
	StartupProbe   probe `yaml:"startupProbe"`
	LivenessProbe  probe `yaml:"livenessProbe"`
	ReadinessProbe probe `yaml:"readinessProbe"`
	Lifecycle      struct {
		PreStop struct{ Sleep struct{ Seconds int } } `yaml:"preStop"`
	}
	Resources       struct{ Requests, Limits map[string]string }
	SecurityContext struct {
		AllowPrivilegeEscalation *bool `yaml:"allowPrivilegeEscalation"`
		ReadOnlyRootFilesystem   bool  `yaml:"readOnlyRootFilesystem"`
		Capabilities             struct{ Drop []string }
	} `yaml:"securityContext"`
}

type probe struct {
	HTTPGet          struct{ Path, Port string } `yaml:"httpGet"`
	PeriodSeconds    int                         `yaml:"periodSeconds"`
	TimeoutSeconds   int                         `yaml:"timeoutSeconds"`
	FailureThreshold int                         `yaml:"failureThreshold"`
}

type service struct {
	Object `yaml:",inline"`
	Spec   struct {
		Selector map[string]string
		Ports    []struct {
			Name       string
			Port       int
			TargetPort string `yaml:"targetPort"`
		}
	}
}

type disruptionBudget struct {
	Object `yaml:",inline"`
	Spec   struct {
		MinAvailable int `yaml:"minAvailable"`
		Selector     selector
	}
}

type peer struct {
	NamespaceSelector *selector `yaml:"namespaceSelector"`
	PodSelector       *selector `yaml:"podSelector"`
	IPBlock           *struct {
		CIDR   string
		Except []string
	} `yaml:"ipBlock"`
}

type networkPolicy struct {
	Object `yaml:",inline"`
	Spec   struct {
		PodSelector selector `yaml:"podSelector"`
		PolicyTypes []string `yaml:"policyTypes"`
		Ingress     []struct {
			From  []peer
			Ports []struct{ Port, Protocol string }
		}
		Egress []struct {
			To    []peer
			Ports []struct{ Port, Protocol string }
		}
	}
}

func manifest[M any](t *testing.T, name string) (m M) {
	t.Helper()
	strictly(t, filepath.Join("kubernetes", name+".yaml"), &m)
	return m
}

func TestTheDeploymentIsOfThisMarketplace(t *testing.T) {
	t.Parallel()
	d, config := manifest[deployment](t, "deployment"), manifest[configMap](t, "config")
	known, readme := settings(t), file(t, "kubernetes/README.md")
	one := d.Spec.Template.Spec.Containers[0]
	if one.Args[0] != "serve" || one.EnvFrom[0].ConfigMapRef.Name != config.Metadata.Name {
		t.Errorf("want it to serve with its settings, got %v and %v", one.Args, one.EnvFrom)
	}
	for name := range config.Data {
		isSetting(t, known, name)
	}
	for _, variable := range one.Env {
		isSetting(t, known, variable.Name)
		from := variable.ValueFrom.SecretKeyRef
		if !strings.Contains(readme, "secret generic "+from.Name+" ") || !strings.Contains(readme, "--from-literal="+from.Key+"=") {
			t.Errorf("%s: want the README to make the secret %s with %s", variable.Name, from.Name, from.Key)
		}
	}
	if port := one.Ports[0]; !strings.HasSuffix(config.Data["MARKETPLACE_ADDR"], ":"+strconv.Itoa(port.ContainerPort)) {
		t.Errorf("want the port that it listens on, %s, got %d", config.Data["MARKETPLACE_ADDR"], port.ContainerPort)
	}
	routes := file(t, "../schemas/openapi/marketplace.yaml")
	for name, p := range map[string]probe{"startup": one.StartupProbe, "liveness": one.LivenessProbe, "readiness": one.ReadinessProbe} {
		if !strings.Contains(routes, "\n  "+p.HTTPGet.Path+":\n") || p.HTTPGet.Port != one.Ports[0].Name || p.TimeoutSeconds == 0 {
			t.Errorf("%s: want a route, the port and a limit, got %+v", name, p)
		}
	}
	if one.ReadinessProbe.HTTPGet.Path != "/readyz" || one.LivenessProbe.HTTPGet.Path != "/healthz" {
		t.Errorf("want a service without its database out of traffic and not started again, got %+v", one)
	}
}

// stopTime is how long the marketplace may take to end, in seconds (docs/operations.md).
const stopTime = 20

func TestTheDeploymentIsReplacedWithoutALostRequestAndKeepsToItsRights(t *testing.T) {
	t.Parallel()
	d := manifest[deployment](t, "deployment")
	spec := d.Spec.Template.Spec
	one := spec.Containers[0]
	if d.Spec.Replicas != 3 || d.Spec.Strategy.RollingUpdate.MaxUnavailable != 0 || d.Spec.Strategy.RollingUpdate.MaxSurge != 1 {
		t.Errorf("want three replicas, replaced one by one, got %+v", d.Spec.Strategy)
	}
	if got, least := spec.TerminationGracePeriodSeconds, one.Lifecycle.PreStop.Sleep.Seconds+stopTime; got < least {
		t.Errorf("want at least %d s to end in, got %d", least, got)
	}
	if budget := manifest[disruptionBudget](t, "disruption"); budget.Spec.MinAvailable >= d.Spec.Replicas {
		t.Errorf("want nodes that can be drained, got a budget of %d", budget.Spec.MinAvailable)
	}
	rights := one.SecurityContext
	if !spec.SecurityContext.RunAsNonRoot || spec.SecurityContext.RunAsUser == 0 || !rights.ReadOnlyRootFilesystem || *rights.AllowPrivilegeEscalation ||
		!slices.Equal(rights.Capabilities.Drop, []string{"ALL"}) || *spec.AutomountServiceAccountToken {
		t.Errorf("want no rights that it does not need, got %+v, %+v", spec.SecurityContext, rights)
	}
	if one.Resources.Requests["memory"] == "" || one.Resources.Limits["memory"] == "" {
		t.Errorf("want its memory bounded, got %v", one.Resources)
	}
	const connections = 34 // of one replica (docs/scaling.md)
	most := (d.Spec.Replicas + d.Spec.Strategy.RollingUpdate.MaxSurge) * connections
	found := regexp.MustCompile("`max_connections` of ([0-9]+)").FindStringSubmatch(file(t, "kubernetes/README.md"))
	if found == nil {
		t.Fatal("want the README to say how many connections the database has to bear")
	}
	if said, _ := strconv.Atoi(found[1]); said < most {
		t.Errorf("want %d connections or more, got %d", most, said)
	}
}

func TestTheManifestsAreAboutTheSamePods(t *testing.T) {
	t.Parallel()
	d, s, n := manifest[deployment](t, "deployment"), manifest[service](t, "service"), manifest[networkPolicy](t, "network")
	pods := d.Spec.Template.Metadata.Labels
	for what, labels := range map[string]map[string]string{
		"deployment": d.Spec.Selector.MatchLabels, "spread": d.Spec.Template.Spec.TopologySpreadConstraints[0].LabelSelector.MatchLabels, "service": s.Spec.Selector,
		"disruption": manifest[disruptionBudget](t, "disruption").Spec.Selector.MatchLabels, "network": n.Spec.PodSelector.MatchLabels,
	} {
		for name, value := range labels {
			if pods[name] != value || len(labels) == 0 {
				t.Errorf("%s: want the labels of the pods, %v, got %v", what, pods, labels)
			}
		}
	}
	if port := d.Spec.Template.Spec.Containers[0].Ports[0].Name; s.Spec.Ports[0].TargetPort != port || n.Spec.Ingress[0].Ports[0].Port != port {
		t.Errorf("want the pods' port %s", port)
	}
	var all struct {
		Object    `yaml:",inline"`
		Resources []string
	}
	strictly(t, "kubernetes/kustomization.yaml", &all)
	files, err := filepath.Glob("kubernetes/*.yaml")
	if err != nil || len(files) != len(all.Resources)+1 {
		t.Errorf("want all of %v in the kustomization, got %v, %v", files, all.Resources, err)
	}
}
