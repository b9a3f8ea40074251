package main

import (
	"bytes"
	"encoding/json"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"k8s.io/client-go/util/jsonpath"
	"sigs.k8s.io/yaml"
)

func jsonText(input []byte) string {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(input))
	decoder.UseNumber()
	if err := json.Unmarshal(input, new(json.RawMessage)); err != nil {
		return failed(err)
	}
	if err := decoder.Decode(&value); err != nil {
		return failed(err)
	}
	return asJSON(value)
}

// separated splits an input at its first line feed.
func separated(input []byte) ([]byte, []byte) {
	before, after, _ := bytes.Cut(input, []byte("\n"))
	return before, after
}

func jsonPatch(input []byte) string {
	document, text := separated(input)
	patch, err := jsonpatch.DecodePatch(text)
	if err != nil {
		return "error"
	}
	patched, err := patch.Apply(document)
	if err != nil {
		return "error"
	}
	return normalized(patched)
}

func mergePatch(input []byte) string {
	document, patch := separated(input)
	patched, err := jsonpatch.MergePatch(document, patch)
	if err != nil {
		return "error"
	}
	return normalized(patched)
}

// The object that paths are evaluated on.
var pathObject = map[string]any{
	"kind":     "List",
	"metadata": map[string]any{"name": "a", "labels": map[string]any{"x.y/z": "1", "b": "2"}},
	"items": []any{
		map[string]any{"name": "one", "size": int64(1), "ok": true},
		map[string]any{"name": "two", "size": int64(2), "tags": []any{"u", "v", "w"}},
		map[string]any{"name": "three", "size": 3.5},
	},
}

func jsonPath(input []byte) string {
	path := jsonpath.New("fuzz").AllowMissingKeys(true)
	if err := path.Parse(string(input)); err != nil {
		return failed(err)
	}
	results, err := path.FindResults(pathObject)
	if err != nil {
		return failed(err)
	}
	found := make([][]any, 0)
	for _, result := range results {
		values := make([]any, 0)
		for _, value := range result {
			values = append(values, value.Interface())
		}
		found = append(found, values)
	}
	return asJSON(found)
}

func yamlText(input []byte) string {
	text, err := yaml.YAMLToJSON(input)
	if err != nil {
		return "error"
	}
	return normalized(text)
}

// normalized sorts the keys of objects.
func normalized(text []byte) string {
	var value any
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(&value); err != nil {
		return failed(err)
	}
	return asJSON(value)
}
