package packaging

import (
	"strings"
	"testing"

	apps "k8s.io/api/apps/v1"
	core "k8s.io/api/core/v1"
	networking "k8s.io/api/networking/v1"
	meta "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/api/resmap"
	"sigs.k8s.io/kustomize/kyaml/filesys"
	"sigs.k8s.io/yaml"
)

// postgresCluster has the fields of CloudNativePG's Cluster that the manifest uses. The operator's own types
// require a large part of Kubernetes.
type postgresCluster struct {
	meta.TypeMeta   `json:",inline"`
	meta.ObjectMeta `json:"metadata"`
	Spec            struct {
		Instances int
		Storage   struct{ Size string }
		Affinity  struct{ PodAntiAffinityType, TopologyKey string }
		Resources core.ResourceRequirements
		Bootstrap struct {
			InitDB struct {
				Database, Owner        string
				PostInitApplicationSQL []string
			}
		}
		PostgreSQL struct {
			Parameters  map[string]string
			Synchronous struct {
				Method, DataDurability string
				Number                 int
				FailoverQuorum         bool
			}
		}
	}
}

// postgresPooler has the fields of CloudNativePG's Pooler that the manifest uses.
type postgresPooler struct {
	meta.TypeMeta   `json:",inline"`
	meta.ObjectMeta `json:"metadata"`
	Spec            struct {
		Cluster   struct{ Name string }
		Instances int
		Type      string
		PgBouncer struct {
			PoolMode   string
			Parameters map[string]string
		}
	}
}

// built reads the resource of a kind, as kustomize builds it, into its type. A field that is unknown fails.
func built[T any](t *testing.T, from resmap.ResMap, kind string) (read T) {
	t.Helper()
	for _, r := range from.Resources() {
		if r.GetKind() != kind {
			continue
		}
		text, err := r.AsYAML()
		check(t, err)
		check(t, yaml.UnmarshalStrict(text, &read))
		return read
	}
	t.Fatalf("expected a %s", kind)
	return read
}

func TestKubernetes_CloudNativePGServesTheReplicas(t *testing.T) {
	t.Parallel()
	from, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), "../examples/cloudnative-pg")
	check(t, err)
	cluster, pooler := built[postgresCluster](t, from, "Cluster"), built[postgresPooler](t, from, "Pooler")
	if s := cluster.Spec.PostgreSQL.Synchronous; cluster.Spec.Instances < 3 || s.Number < 1 || s.DataDurability != "required" || !s.FailoverQuorum {
		t.Errorf("expected that no acknowledged commit can be lost, received %d instances, %+v", cluster.Spec.Instances, s)
	}
	if pooler.Spec.Cluster.Name != cluster.Name || pooler.Spec.Type != "rw" || pooler.Spec.PgBouncer.PoolMode != "transaction" {
		t.Errorf("expected a pooler of %s's primary, received %+v", cluster.Name, pooler.Spec)
	}
	init := cluster.Spec.Bootstrap.InitDB
	var password string
	for _, setting := range built[apps.Deployment](t, from, "Deployment").Spec.Template.Spec.Containers[0].Env {
		host := map[string]string{
			"MARKETPLACE_DATABASE_URL":        pooler.Name,
			"MARKETPLACE_DATABASE_LISTEN_URL": cluster.Name + "-rw",
			"MARKETPLACE_DATABASE_READ_URL":   cluster.Name + "-ro",
		}[setting.Name]
		switch {
		case setting.Name == "DATABASE_PASSWORD" && setting.ValueFrom.SecretKeyRef.Name == cluster.Name+"-app":
			password = "$(DATABASE_PASSWORD)"
		case strings.HasPrefix(setting.Name, "MARKETPLACE_DATABASE"):
			// A setting can refer to those before it only.
			if want := "postgres://" + init.Owner + ":" + password + "@" + host + "/" + init.Database; setting.Value != want || password == "" || setting.ValueFrom != nil {
				t.Errorf("%s: expected %s, received %+v", setting.Name, want, setting)
			}
		}
	}
	called := map[string]bool{}
	for _, to := range built[networking.NetworkPolicy](t, from, "NetworkPolicy").Spec.Egress {
		for _, peer := range to.To {
			if peer.PodSelector != nil {
				called[peer.PodSelector.MatchLabels["cnpg.io/cluster"]+peer.PodSelector.MatchLabels["cnpg.io/poolerName"]] = true
			}
		}
	}
	if !called[cluster.Name] || !called[pooler.Name] || len(called) != 2 {
		t.Errorf("expected calls to %s and %s to be allowed, received %v", cluster.Name, pooler.Name, called)
	}
}
