// Command clients is every Go client of the end-to-end tests in one program, which takes as long to link as any one of
// them: the first argument says which one it is.
package main

import (
	"fmt"
	"os"

	"annex.example.com/e2e/clients/envtest"
	"annex.example.com/e2e/clients/informer"
	"annex.example.com/e2e/clients/objects"
	"annex.example.com/e2e/clients/proxies"
	"annex.example.com/e2e/clients/reconciler"
	"annex.example.com/e2e/clients/selectors"
	"annex.example.com/e2e/clients/typed"
	"annex.example.com/e2e/clients/validate"
)

var programs = map[string]func(arguments []string) error{
	"envtest":    envtest.Run,
	"informer":   informer.Run,
	"objects":    objects.Run,
	"proxies":    proxies.Run,
	"reconciler": reconciler.Run,
	"selectors":  selectors.Run,
	"typed":      typed.Run,
	"validate":   validate.Run,
}

func main() {
	if len(os.Args) < 2 || programs[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: clients envtest|informer|objects|proxies|reconciler|selectors|typed|validate [flags]")
		os.Exit(2)
	}
	if err := programs[os.Args[1]](os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
