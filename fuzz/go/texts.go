package main

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"net/netip"
	"net/url"
	"sort"
	"strconv"
	"strings"
	"time"
	"unicode"

	"github.com/munnerz/goautoneg"
	"github.com/robfig/cron/v3"
	"k8s.io/apimachinery/pkg/api/resource"
	"k8s.io/apimachinery/pkg/fields"
	"k8s.io/apimachinery/pkg/labels"
	"k8s.io/apimachinery/pkg/util/validation"
)

// failed is the outcome of an error whose text is part of the API.
func failed(err error) string { return "error: " + err.Error() }

func accept(input []byte) string {
	var types []string
	for _, clause := range goautoneg.ParseAccept(string(input)) {
		types = append(types, clause.Type+"/"+clause.SubType)
	}
	return strings.Join(types, " ")
}

func csvRecords(input []byte) string {
	reader := csv.NewReader(bytes.NewReader(input))
	reader.FieldsPerRecord = -1
	records, err := reader.ReadAll()
	if err != nil {
		return "error"
	}
	return asJSON(records)
}

func cronSchedule(input []byte) string {
	if _, err := cron.ParseStandard(string(input)); err != nil {
		return failed(err)
	}
	return "valid"
}

func duration(input []byte) string {
	value, err := time.ParseDuration(string(input))
	if err != nil {
		return failed(err)
	}
	return strconv.FormatInt(int64(value), 10)
}

func fieldSelector(input []byte) string {
	selector, err := fields.ParseSelector(string(input))
	if err != nil {
		return failed(err)
	}
	return selector.String()
}

func ipAddress(input []byte) string {
	address, err := netip.ParseAddr(string(input))
	if err != nil {
		return failed(err)
	}
	return address.String()
}

func labelSelector(input []byte) string {
	selector, err := labels.Parse(string(input))
	if err != nil {
		return failed(err)
	}
	return selector.String()
}

// names gives the complaints of the most common checks of names.
func names(input []byte) string {
	text := string(input)
	return asJSON([][]string{
		validation.IsDNS1123Subdomain(text),
		validation.IsDNS1123Label(text),
		validation.IsDNS1035Label(text),
		validation.IsWildcardDNS1123Subdomain(text),
		validation.IsQualifiedName(text),
		validation.IsValidLabelValue(text),
		validation.IsConfigMapKey(text),
		validation.IsCIdentifier(text),
		validation.IsHTTPHeaderName(text),
	})
}

func quantity(input []byte) string {
	value, err := resource.ParseQuantity(string(input))
	if err != nil {
		return failed(err)
	}
	return value.String()
}

func quote(input []byte) string { return quoted(string(input)) }

// quoted is strconv.Quote, but for characters that Go's version of Unicode does not have: Node's may print them.
func quoted(text string) string {
	for _, character := range text {
		if !unicode.In(character, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs) {
			return "newer character"
		}
	}
	return strconv.Quote(text)
}

func timestamp(input []byte) string {
	value, err := time.Parse(time.RFC3339, string(input))
	if err != nil {
		return "error"
	}
	return strconv.FormatInt(value.UnixMilli(), 10)
}

func parseURL(input []byte) string {
	value, err := url.Parse(string(input))
	if err != nil {
		return failed(err)
	}
	return asJSON([]string{value.Scheme, value.Host, value.Path, value.RawQuery, value.EscapedPath(), value.String()})
}

func requestTarget(input []byte) string {
	value, err := url.ParseRequestURI(string(input))
	if err != nil {
		return "error"
	}
	return asJSON([]string{value.Path, value.RequestURI()})
}

func parseQuery(input []byte) string {
	values, _ := url.ParseQuery(string(input))
	keys := make([]string, 0, len(values))
	for key := range values {
		keys = append(keys, key)
	}
	sort.Strings(keys)
	var out strings.Builder
	for _, key := range keys {
		fmt.Fprintf(&out, "%s=%s\n", quoted(key), asJSON(values[key]))
	}
	return out.String()
}

func asJSON(value any) string {
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return failed(err)
	}
	return strings.TrimSuffix(out.String(), "\n")
}
