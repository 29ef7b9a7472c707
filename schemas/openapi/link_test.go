package openapi_test

import (
	"strings"
	"testing"

	"github.com/goccy/go-yaml"

	"partnerkit.dev/schemas/openapi"
)

func TestEveryLinkLeadsToAnOperationAndAParameterOfIt(t *testing.T) {
	t.Parallel()
	text, err := openapi.Bundle(openapi.Marketplace)
	check(t, err)
	var document struct {
		Paths map[string]map[string]struct {
			OperationID string `yaml:"operationId"`
			Parameters  []struct {
				Name string `yaml:"name"`
				Ref  string `yaml:"$ref"`
			}
		}
		Components struct {
			Parameters map[string]struct{ Name string }
			Links      map[string]struct {
				OperationID string `yaml:"operationId"`
				Parameters  map[string]string
			}
		}
	}
	check(t, yaml.Unmarshal(text, &document))
	known := map[string]bool{}
	for _, path := range document.Paths {
		for _, operation := range path {
			for _, p := range operation.Parameters {
				if p.Ref != "" {
					p.Name = document.Components.Parameters[p.Ref[strings.LastIndexByte(p.Ref, '/')+1:]].Name
				}
				known[operation.OperationID+" "+p.Name] = true
			}
		}
	}
	for name, link := range document.Components.Links {
		for parameter := range link.Parameters {
			if !known[link.OperationID+" "+parameter] {
				t.Errorf("%s: want an operation %s with a parameter %s", name, link.OperationID, parameter)
			}
		}
		if used := "#/components/links/" + name; !strings.Contains(string(text), used) {
			t.Errorf("%s is not used", name)
		}
	}
	if len(document.Components.Links) == 0 {
		t.Error("want links between operations")
	}
}
