// Package validate checks objects as kubectl does before it sends them: against the OpenAPI document that the server
// publishes, fetched in protobuf, with nothing asked of the server about the objects. It reads JSON objects from standard
// input and prints for each "valid" or what is wrong, one a line.
package validate

import (
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	utilerrors "k8s.io/apimachinery/pkg/util/errors"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/tools/clientcmd"
	"k8s.io/kube-openapi/pkg/util/proto"
	"k8s.io/kube-openapi/pkg/util/proto/validation"
)

// published is what a server says of its kinds.
type published map[schema.GroupVersionKind]proto.Schema

func fetch(kubeconfig string) (published, error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, err
	}
	client, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return nil, err
	}
	document, err := client.OpenAPISchema()
	if err != nil {
		return nil, err
	}
	models, err := proto.NewOpenAPIData(document)
	if err != nil {
		return nil, err
	}
	found := published{}
	for _, name := range models.ListModels() {
		model := models.LookupModel(name)
		kinds, _ := model.GetExtensions()["x-kubernetes-group-version-kind"].([]any)
		for _, kind := range kinds {
			if gvk, ok := kind.(map[any]any); ok {
				found[schema.GroupVersionKind{
					Group:   fmt.Sprint(gvk["group"]),
					Version: fmt.Sprint(gvk["version"]),
					Kind:    fmt.Sprint(gvk["kind"]),
				}] = model
			}
		}
	}
	return found, nil
}

func (p published) validate(object unstructured.Unstructured) error {
	gvk := object.GroupVersionKind()
	model := p[gvk]
	if model == nil {
		return fmt.Errorf("unknown object type %q", gvk)
	}
	return utilerrors.NewAggregate(validation.ValidateModel(object.Object, model, gvk.Kind))
}

// Run checks what it reads.
func Run(arguments []string) error {
	flags := flag.NewFlagSet("validate", flag.ExitOnError)
	kubeconfig := flags.String("kubeconfig", "", "how to reach the server")
	_ = flags.Parse(arguments)
	kinds, err := fetch(*kubeconfig)
	if err != nil {
		return err
	}
	for decoder := json.NewDecoder(os.Stdin); ; {
		var object map[string]any
		if err := decoder.Decode(&object); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if err := kinds.validate(unstructured.Unstructured{Object: object}); err != nil {
			fmt.Println(err)
		} else {
			fmt.Println("valid")
		}
	}
}
