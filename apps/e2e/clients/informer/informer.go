// Package informer prints what informers of client-go tell their handlers, one event a line: of widgets as JSON through
// a dynamic client, of ConfigMaps as protobuf through a typed one.
package informer

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"

	"k8s.io/apimachinery/pkg/api/meta"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/dynamic/dynamicinformer"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/cache"
	"k8s.io/client-go/tools/clientcmd"

	"annex.example.com/e2e/clients/widgets"
)

// event is one line of the output.
type event struct {
	Kind   string          `json:"kind"`
	Type   string          `json:"type"`
	Name   string          `json:"name"`
	Object *runtime.Object `json:"object"`
}

type printer struct {
	lock    sync.Mutex
	encoder *json.Encoder
}

func (p *printer) handler(kind string) cache.ResourceEventHandlerFuncs {
	tell := func(what string, object any) {
		if gone, ok := object.(cache.DeletedFinalStateUnknown); ok {
			what, object = "LOST", gone.Obj
		}
		known := object.(runtime.Object)
		accessor, _ := meta.Accessor(known)
		accessor.SetManagedFields(nil)
		p.lock.Lock()
		defer p.lock.Unlock()
		_ = p.encoder.Encode(event{kind, what, accessor.GetName(), &known})
	}
	return cache.ResourceEventHandlerFuncs{
		AddFunc:    func(object any) { tell("ADDED", object) },
		UpdateFunc: func(_, object any) { tell("MODIFIED", object) },
		DeleteFunc: func(object any) { tell("DELETED", object) },
	}
}

// follow starts an informer whose every relist is told of, and waits until it has the initial objects.
func follow(ctx context.Context, kind string, informer cache.SharedIndexInformer, out *printer) error {
	if _, err := informer.AddEventHandler(out.handler(kind)); err != nil {
		return err
	}
	err := informer.SetWatchErrorHandlerWithContext(func(_ context.Context, _ *cache.Reflector, err error) {
		fmt.Fprintln(os.Stderr, kind, "watch ended:", err)
	})
	if err != nil {
		return err
	}
	go informer.RunWithContext(ctx)
	if !cache.WaitForCacheSync(ctx.Done(), informer.HasSynced) {
		return fmt.Errorf("no initial %s", kind)
	}
	return nil
}

// Run follows widgets and ConfigMaps until it is told to end.
func Run(arguments []string) error {
	flags := flag.NewFlagSet("informer", flag.ExitOnError)
	kubeconfig := flags.String("kubeconfig", "", "path of a kubeconfig")
	_ = flags.Parse(arguments)
	ctx, stop := signal.NotifyContext(context.Background(), syscall.SIGTERM)
	defer stop()
	config, err := clientcmd.BuildConfigFromFlags("", *kubeconfig)
	if err != nil {
		return err
	}
	custom, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	binary := rest.CopyConfig(config)
	binary.AcceptContentTypes = runtime.ContentTypeProtobuf
	binary.ContentType = runtime.ContentTypeProtobuf
	typed, err := kubernetes.NewForConfig(binary)
	if err != nil {
		return err
	}
	out := &printer{encoder: json.NewEncoder(os.Stdout)}
	resource := widgets.GroupVersion.WithResource("widgets")
	dynamicFactory := dynamicinformer.NewFilteredDynamicSharedInformerFactory(custom, 0, "default", nil)
	typedFactory := informers.NewSharedInformerFactoryWithOptions(typed, 0, informers.WithNamespace("default"))
	if err := follow(ctx, "Widget", dynamicFactory.ForResource(resource).Informer(), out); err != nil {
		return err
	}
	if err := follow(ctx, "ConfigMap", typedFactory.Core().V1().ConfigMaps().Informer(), out); err != nil {
		return err
	}
	fmt.Fprintln(os.Stderr, "synced")
	<-ctx.Done()
	return nil
}
