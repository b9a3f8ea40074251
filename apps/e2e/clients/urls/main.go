// Command urls prints what Go's net/http and net/url read in each request target of standard input: one target a line, a
// method and the target's bytes in base64. It uses the standard library and this module alone, so nothing is
// downloaded for it.
package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"strings"

	"annex.example.com/e2e/clients/lines"
)

// A reading holds bytes: JSON would replace those that are not UTF-8.
type reading struct {
	// What a server reads in a request line.
	Request *request `json:"request"`
	// The same text as a URL that need not be absolute.
	URL   *parsedURL `json:"url"`
	Error []byte     `json:"error,omitempty"`
}

type request struct {
	Path      []byte   `json:"path"`
	URI       []byte   `json:"uri"`
	Query     [][]byte `json:"query"`
	Encoded   string   `json:"encoded"`
	Forwarded string   `json:"forwarded"`
}

type parsedURL struct {
	Scheme, Opaque, Host, EscapedPath, Text []byte
}

func main() {
	err := lines.Answer(func(line []byte) (reading, error) {
		method, encoded, _ := strings.Cut(string(line), " ")
		target, err := base64.StdEncoding.DecodeString(encoded)
		if err != nil {
			return reading{}, err
		}
		return read(method, string(target)), nil
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func read(method, target string) reading {
	result := reading{Request: readRequest(method, target)}
	u, err := url.Parse(target)
	if err != nil {
		result.Error = []byte(err.Error())
		return result
	}
	result.URL = &parsedURL{[]byte(u.Scheme), []byte(u.Opaque), []byte(u.Host), []byte(u.EscapedPath()), []byte(u.String())}
	return result
}

func readRequest(method, target string) *request {
	head := method + " " + target + " HTTP/1.1\r\nHost: a\r\n\r\n"
	req, err := http.ReadRequest(bufio.NewReader(bytes.NewBufferString(head)))
	if err != nil {
		return nil
	}
	values := req.URL.Query()
	location := url.URL{Scheme: "https", Host: "backend", Path: req.URL.Path}
	result := &request{
		Path:      []byte(req.URL.Path),
		URI:       []byte(req.URL.RequestURI()),
		Encoded:   values.Encode(),
		Forwarded: location.EscapedPath(),
	}
	// Go's maps have no order: the encoded query has it.
	for name, all := range values {
		for _, value := range all {
			result.Query = append(result.Query, []byte(name+"\x00"+value))
		}
	}
	return result
}
