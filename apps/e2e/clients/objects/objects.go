// Package objects writes random objects of every kind that has a protobuf form, one a line: the bytes that Go's
// serializer makes of it, and its JSON. With -read it does the reverse: it reads such lines, and says where the bytes do
// not hold what the JSON says.
package objects

import (
	"bufio"
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"sort"
	"time"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/apitesting/fuzzer"
	metafuzzer "k8s.io/apimachinery/pkg/apis/meta/fuzzer"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/runtime/serializer/protobuf"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/scheme"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
	"sigs.k8s.io/randfill"
)

type line struct {
	Protobuf []byte         `json:"protobuf"`
	JSON     runtime.Object `json:"json"`
}

// plain makes values that survive JSON, which knows no more than seconds, and that the wire tells from nothing.
func plain(_ serializer.CodecFactory) []any {
	return []any{
		func(t *metav1.Time, c randfill.Continue) { t.Time = time.Unix(c.Int63n(4e9), 0).UTC() },
		func(t *metav1.MicroTime, c randfill.Continue) {
			t.Time = time.Unix(c.Int63n(4e9), 1000*c.Int63n(1e6)).UTC()
		},
		func(v *intstr.IntOrString, c randfill.Continue) {
			if c.Bool() {
				*v = intstr.FromInt32(1 + c.Int31n(65535))
			} else {
				*v = intstr.FromString("port-" + c.String(8))
			}
		},
		func(f *metav1.FieldsV1, c randfill.Continue) { f.SetRawBytes([]byte(`{"f:a":{".":{}}}`)) },
		func(r *runtime.RawExtension, c randfill.Continue) {
			r.Raw, r.Object = []byte(`{"a":[1,"b",null]}`), nil
		},
		func(j *apiextensions.JSON, c randfill.Continue) { j.Raw = []byte(`{"a":[1,"b",null]}`) },
		func(s *apiextensions.JSONSchemaProps, c randfill.Continue) {
			s.Type, s.Description = c.String(4), c.String(8)
			minimum, length := c.Float64(), c.Int63()
			s.Minimum, s.MinLength = &minimum, &length
			if c.Bool() {
				return
			}
			item := apiextensions.JSONSchemaProps{Type: "string", Default: &apiextensions.JSON{Raw: []byte(`"x"`)}}
			s.Items = &apiextensions.JSONSchemaPropsOrArray{Schema: &item}
			s.AdditionalProperties = &apiextensions.JSONSchemaPropsOrBool{Allows: true, Schema: &item}
			s.Properties = map[string]apiextensions.JSONSchemaProps{"b": item, "a": item}
			s.Enum = []apiextensions.JSON{{Raw: []byte(`1`)}, {Raw: []byte(`{"a":2}`)}}
			s.Dependencies = apiextensions.JSONSchemaDependencies{"a": {Property: []string{"b"}}}
			c.Fill(&s.XValidations)
		},
	}
}

func kinds() ([]schema.GroupVersionKind, *runtime.Scheme, error) {
	all := scheme.Scheme
	for _, add := range []func(*runtime.Scheme) error{apiextensions.AddToScheme, apiregistration.AddToScheme} {
		if err := add(all); err != nil {
			return nil, nil, err
		}
	}
	var found []schema.GroupVersionKind
	for kind := range all.AllKnownTypes() {
		// Events of watches have their object in a form of their own.
		if kind.Kind != "WatchEvent" && kind.Version != runtime.APIVersionInternal {
			found = append(found, kind)
		}
	}
	sort.Slice(found, func(i, j int) bool { return found[i].String() < found[j].String() })
	return found, all, nil
}

func write(seed int64, count int) error {
	known, all, err := kinds()
	if err != nil {
		return err
	}
	funcs := fuzzer.MergeFuzzerFuncs(metafuzzer.Funcs, plain)
	filler := fuzzer.FuzzerFor(funcs, rand.NewSource(seed), serializer.NewCodecFactory(all)).
		NilChance(.3).NumElements(1, 2).MaxDepth(24)
	binary := protobuf.NewSerializer(all, all)
	out := json.NewEncoder(os.Stdout)
	for _, kind := range known {
		for range count {
			object, err := all.New(kind)
			if err != nil {
				return err
			}
			if _, ok := object.(interface{ Marshal() ([]byte, error) }); !ok {
				continue
			}
			filler.Fill(object)
			object.GetObjectKind().SetGroupVersionKind(kind)
			var message bytes.Buffer
			if err := binary.Encode(object, &message); err != nil {
				return fmt.Errorf("%s: %w", kind, err)
			}
			if err := out.Encode(line{message.Bytes(), object}); err != nil {
				return fmt.Errorf("%s: %w", kind, err)
			}
		}
	}
	return nil
}

// read decodes what another encoder wrote. Both forms of an object must be the same in Go.
func read() error {
	_, all, err := kinds()
	if err != nil {
		return err
	}
	binary := protobuf.NewSerializer(all, all)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	for lines.Scan() {
		var got struct {
			Protobuf []byte          `json:"protobuf"`
			JSON     json.RawMessage `json:"json"`
		}
		if err := json.Unmarshal(lines.Bytes(), &got); err != nil {
			return err
		}
		object, kind, err := binary.Decode(got.Protobuf, nil, nil)
		if err != nil {
			fmt.Printf("%v: %v\n", kind, err)
			continue
		}
		wanted, err := all.New(*kind)
		if err != nil {
			return err
		}
		if err := json.Unmarshal(got.JSON, wanted); err != nil {
			return err
		}
		var one, other bytes.Buffer
		if err := binary.Encode(object, &one); err != nil {
			return err
		}
		if err := binary.Encode(wanted, &other); err != nil {
			return err
		}
		if !bytes.Equal(one.Bytes(), other.Bytes()) {
			fmt.Printf("%v: the bytes hold other than %s\n", kind, got.JSON)
		}
	}
	return lines.Err()
}

// Run writes objects, or reads them.
func Run(arguments []string) error {
	flags := flag.NewFlagSet("objects", flag.ExitOnError)
	seed := flags.Int64("seed", 1, "seed of the random values")
	count := flags.Int("count", 3, "objects of each kind")
	reads := flags.Bool("read", false, "read lines from standard input")
	_ = flags.Parse(arguments)
	if *reads {
		return read()
	}
	return write(*seed, *count)
}
