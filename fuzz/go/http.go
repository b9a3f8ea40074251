package main

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/textproto"
	"sort"
	"strings"
)

// httpResponse reads a response to a GET request, as the transport of net/http does.
func httpResponse(input []byte) string {
	request, _ := http.NewRequest(http.MethodGet, "https://example.com/", nil)
	response, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(input)), request)
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return "incomplete"
	}
	if err != nil {
		return "malformed"
	}
	lines := []string{}
	for name, values := range response.Header {
		// Names with spaces are read, and not written.
		if name == "Trailer" || strings.Contains(name, " ") {
			continue
		}
		for _, value := range values {
			// Spaces at its end, of a folded line, are not written.
			lines = append(lines, strings.ToLower(name)+": "+textproto.TrimString(value))
		}
	}
	sort.Strings(lines)
	body, err := io.ReadAll(response.Body)
	outcome := []any{response.StatusCode, lines, string(body)}
	if err != nil {
		outcome = append(outcome, "incomplete body")
	}
	return asJSON(outcome)
}
