// Package selectors prints what apimachinery reads in each selector of standard input: one selector a line, in base64.
package selectors

import (
	"bufio"
	"encoding/base64"
	"encoding/json"
	"os"
	"slices"

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
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	encoder := json.NewEncoder(os.Stdout)
	for lines.Scan() {
		text, err := base64.StdEncoding.DecodeString(lines.Text())
		if err != nil {
			return err
		}
		var result reading
		result.Fields, result.Name = readFields(string(text))
		result.Labels = readLabels(string(text))
		if err := encoder.Encode(result); err != nil {
			return err
		}
	}
	return lines.Err()
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
