// Command go-peer gives the outcome of Go's and Kubernetes' own parsers for inputs of the fuzzer.
//
// It reads frames from standard input (32 bits of length, big-endian, and bytes) and writes one frame for each.
package main

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"io"
	"os"
)

var functions = map[string]func(input []byte) string{
	"accept":         accept,
	"csv":            csvRecords,
	"cron":           cronSchedule,
	"duration":       duration,
	"field-selector": fieldSelector,
	"http-response":  httpResponse,
	"ip-address":     ipAddress,
	"json":           jsonText,
	"json-patch":     jsonPatch,
	"jsonpath":       jsonPath,
	"label-selector": labelSelector,
	"merge-patch":    mergePatch,
	"names":          names,
	"quantity":       quantity,
	"quote":          quote,
	"rbac-covers":    rbacCovers,
	"request-target": requestTarget,
	"time":           timestamp,
	"url":            parseURL,
	"url-query":      parseQuery,
	"yaml":           yamlText,
}

func main() {
	if len(os.Args) != 2 || functions[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: go-peer <function>")
		os.Exit(2)
	}
	function := functions[os.Args[1]]
	reader := bufio.NewReaderSize(os.Stdin, 1<<20)
	writer := bufio.NewWriterSize(os.Stdout, 1<<20)
	var length [4]byte
	for {
		if reader.Buffered() == 0 {
			writer.Flush()
		}
		if _, err := io.ReadFull(reader, length[:]); err != nil {
			return
		}
		input := make([]byte, binary.BigEndian.Uint32(length[:]))
		if _, err := io.ReadFull(reader, input); err != nil {
			return
		}
		outcome := safely(function, input)
		binary.BigEndian.PutUint32(length[:], uint32(len(outcome)))
		writer.Write(length[:])
		writer.WriteString(outcome)
	}
}

// safely makes a panic of the function its outcome.
func safely(function func([]byte) string, input []byte) (outcome string) {
	defer func() {
		if reason := recover(); reason != nil {
			outcome = fmt.Sprintf("panic: %v", reason)
		}
	}()
	return function(input)
}
