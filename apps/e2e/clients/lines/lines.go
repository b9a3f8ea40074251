// Package lines answers each line of standard input with a line of JSON.
package lines

import (
	"bufio"
	"encoding/json"
	"os"
)

// Answer reads until the end of standard input.
func Answer[T any](read func(line []byte) (T, error)) error {
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(nil, 1<<26)
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	encoder := json.NewEncoder(out)
	for lines.Scan() {
		result, err := read(lines.Bytes())
		if err != nil {
			return err
		}
		if err := encoder.Encode(result); err != nil {
			return err
		}
	}
	return lines.Err()
}
