// Command internal-types prints the structs that kube-apiserver quotes in errors of built-in kinds: for each Go struct its fields in order,
// with their types and the names that they have in v1.
package main

import (
	"encoding/json"
	"os"
	"reflect"
	"strings"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/kubernetes/pkg/apis/core"
)

// field is the name in Go, the name in v1, and the type: a scalar, or the name of a struct; after "*" for a pointer, "[]" for a slice and
// "{}" for a map. An embedded struct has no name in Go; if it has none in v1 either,
// its fields stand beside the others.
type field [3]string

// A root is an internal struct with its counterpart.
type root struct{ internal, v1 reflect.Type }

var roots = []root{
	{reflect.TypeFor[core.PodTemplateSpec](), reflect.TypeFor[corev1.PodTemplateSpec]()},
	{reflect.TypeFor[core.EphemeralContainer](), reflect.TypeFor[corev1.EphemeralContainer]()},
	{reflect.TypeFor[core.PersistentVolumeClaimSpec](), reflect.TypeFor[corev1.PersistentVolumeClaimSpec]()},
	{reflect.TypeFor[core.PersistentVolumeSource](), reflect.TypeFor[corev1.PersistentVolumeSource]()},
}

// elsewhere has the structs of v1 with those fields that an internal struct has from another one.
var elsewhere = map[string]reflect.Type{"PodSecurityContext": reflect.TypeFor[corev1.PodSpec]()}

func main() {
	structs := map[string][]field{}
	for _, each := range roots {
		visit(structs, each.internal, each.v1)
	}
	encoder := json.NewEncoder(os.Stdout)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(structs); err != nil {
		panic(err)
	}
}

func visit(structs map[string][]field, internal, v1 reflect.Type) {
	if _, known := structs[internal.Name()]; known {
		return
	}
	fields := []field{}
	structs[internal.Name()] = nil
	for i := range internal.NumField() {
		own := internal.Field(i)
		other := counterpart(internal.Name(), v1, own.Name)
		text, struct_ := typeText(own.Type)
		name, _, _ := strings.Cut(other.Tag.Get("json"), ",")
		if own.Anonymous {
			fields = append(fields, field{"", name, text})
		} else if name == "" {
			panic(internal.Name() + "." + own.Name + " has no name in v1")
		} else {
			fields = append(fields, field{own.Name, name, text})
		}
		if struct_ != nil {
			visit(structs, struct_, element(other.Type))
		}
	}
	structs[internal.Name()] = fields
}

func counterpart(struct_ string, v1 reflect.Type, name string) reflect.StructField {
	for _, candidate := range []reflect.Type{v1, elsewhere[struct_]} {
		if candidate == nil {
			continue
		}
		if found, ok := candidate.FieldByName(name); ok {
			return found
		}
	}
	panic(struct_ + "." + name + " is not in v1")
}

func element(t reflect.Type) reflect.Type {
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice || t.Kind() == reflect.Map {
		t = t.Elem()
	}
	return t
}

// typeText returns the notation of a type, and the struct in it whose fields are encoded one by one.
func typeText(t reflect.Type) (string, reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer:
		text, inner := typeText(t.Elem())
		return "*" + text, inner
	case reflect.Map:
		text, inner := typeText(t.Elem())
		return "{}" + text, inner
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes", nil
		}
		text, inner := typeText(t.Elem())
		return "[]" + text, inner
	case reflect.Struct:
		if strings.HasPrefix(t.PkgPath(), "k8s.io/kubernetes/pkg/apis/") {
			return t.Name(), t
		}
		// Types with an encoding of their own: Quantity, IntOrString, Time, LabelSelector.
		return "=" + t.Name(), nil
	case reflect.String:
		return "string", nil
	case reflect.Bool:
		return "bool", nil
	default:
		return "int", nil
	}
}
