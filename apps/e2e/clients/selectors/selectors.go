// Package selectors prints what apimachinery reads in each selector of standard input: one selector a line, in base64.
package selectors

import (
	"encoding/base64"
	"slices"

	"annex.example.com/e2e/clients/lines"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
)

type reading struct {
	// The terms of a field selector, each a list of its parts, or its error.
	Fields any `json:"fields"`
	// The name that the field selector requires.
	Name string `json:"name"`
	// The terms of a label selector, or its error.
	Labels any `json:"labels"`
}

// Run reads until the end of standard input.
func Run([]string) error {
	return lines.Answer(func(line []byte) (reading, error) {
		var result reading
		text, err := base64.StdEncoding.DecodeString(string(line))
		if err != nil {
			return result, err
		}
		result.Fields, result.Name = readFields(string(text))
		result.Labels = readLabels(string(text))
		return result, nil
	})
}

func readFields(text string) (terms any, name string) {
	selector, err := fields.ParseSelector(text)
	if err != nil {
		return err.Error(), ""
	}
	found := [][]string{}
	for _, term := range selector.Requirements() {
		found = append(found, []string{term.Field, string(term.Operator), term.Value})
	}
	name, _ = selector.RequiresExactMatch("metadata.name")
	return found, name
}

func readLabels(text string) any {
	selector, err := labels.Parse(text)
	if err != nil {
		return err.Error()
	}
	terms, _ := selector.Requirements()
	found := [][]string{}
	for _, term := range terms {
		values := term.ValuesUnsorted()
		slices.Sort(values)
		found = append(found, append([]string{term.Key(), string(term.Operator())}, values...))
	}
	return found
}
