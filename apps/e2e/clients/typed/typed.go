// Package typed takes the typed clients of client-go through all verbs of the built-in kinds, in protobuf, and compares
// what they are answered with what a client of JSON is answered. It prints the kinds that came through, one a line.
package typed

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"time"

	"k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/watch"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"
)

const namespace = "default"

// object is one of Kubernetes, by its pointer.
type object interface {
	metav1.Object
	runtime.Object
}

// typedClient is what all typed clients have in common.
type typedClient[O object, L runtime.Object] interface {
	Create(context.Context, O, metav1.CreateOptions) (O, error)
	Update(context.Context, O, metav1.UpdateOptions) (O, error)
	Delete(context.Context, string, metav1.DeleteOptions) error
	Get(context.Context, string, metav1.GetOptions) (O, error)
	List(context.Context, metav1.ListOptions) (L, error)
	Watch(context.Context, metav1.ListOptions) (watch.Interface, error)
	Patch(context.Context, string, types.PatchType, []byte, metav1.PatchOptions, ...string) (O, error)
}

// walk takes one object through its life.
func walk[O object, L runtime.Object](ctx context.Context, binary, text typedClient[O, L], wanted O) error {
	name := wanted.GetName()
	only := metav1.ListOptions{FieldSelector: "metadata.name=" + name}
	list, err := binary.List(ctx, only)
	if err != nil {
		return fmt.Errorf("list: %w", err)
	}
	only.ResourceVersion = any(list).(metav1.ListInterface).GetResourceVersion()
	events, err := binary.Watch(ctx, only)
	if err != nil {
		return fmt.Errorf("watch: %w", err)
	}
	defer events.Stop()

	created, err := binary.Create(ctx, wanted, metav1.CreateOptions{})
	if err != nil {
		return fmt.Errorf("create: %w", err)
	}
	if err := sees(events, watch.Added, created); err != nil {
		return err
	}
	for encoding, client := range map[string]typedClient[O, L]{"protobuf": binary, "JSON": text} {
		got, err := client.Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return fmt.Errorf("get: %w", err)
		}
		if !equality.Semantic.DeepEqual(got, created) {
			return fmt.Errorf("got in %s: %v, created: %v", encoding, got, created)
		}
	}
	lists := []L{}
	for _, client := range []typedClient[O, L]{binary, text} {
		list, err := client.List(ctx, metav1.ListOptions{FieldSelector: "metadata.name=" + name})
		if err != nil {
			return fmt.Errorf("list: %w", err)
		}
		lists = append(lists, list)
	}
	if !equality.Semantic.DeepEqual(lists[0], lists[1]) {
		return fmt.Errorf("listed in protobuf: %v, in JSON: %v", lists[0], lists[1])
	}

	changed := created.DeepCopyObject().(O)
	changed.SetLabels(map[string]string{"updated": "yes"})
	updated, err := binary.Update(ctx, changed, metav1.UpdateOptions{})
	if err != nil {
		return fmt.Errorf("update: %w", err)
	}
	if err := sees(events, watch.Modified, updated); err != nil {
		return err
	}
	for _, patch := range []types.PatchType{types.StrategicMergePatchType, types.MergePatchType} {
		body := fmt.Sprintf(`{"metadata":{"labels":{"patched":%q}}}`, patch[len("application/"):len("application/")+5])
		patched, err := binary.Patch(ctx, name, patch, []byte(body), metav1.PatchOptions{})
		if err != nil {
			return fmt.Errorf("%s: %w", patch, err)
		}
		if patched.GetLabels()["updated"] != "yes" || patched.GetLabels()["patched"] == "" {
			return fmt.Errorf("%s: labels are %v", patch, patched.GetLabels())
		}
		if err := sees(events, watch.Modified, patched); err != nil {
			return err
		}
	}

	now := int64(0)
	if err := binary.Delete(ctx, name, metav1.DeleteOptions{GracePeriodSeconds: &now}); err != nil {
		return fmt.Errorf("delete: %w", err)
	}
	return ends(events)
}

// sees waits for the next event, which must be of that type and show that object.
func sees(events watch.Interface, wanted watch.EventType, shown runtime.Object) error {
	select {
	case event := <-events.ResultChan():
		if event.Type != wanted {
			return fmt.Errorf("%s instead of %s: %v", event.Type, wanted, event.Object)
		}
		if !equality.Semantic.DeepEqual(event.Object, shown) {
			return fmt.Errorf("%s shows %v, the answer was %v", wanted, event.Object, shown)
		}
		return nil
	case <-time.After(20 * time.Second):
		return fmt.Errorf("no event %s", wanted)
	}
}

// ends waits for the deletion. What is held by finalizers is changed before that.
func ends(events watch.Interface) error {
	for {
		select {
		case event := <-events.ResultChan():
			if event.Type == watch.Deleted {
				return nil
			}
			if event.Type != watch.Modified {
				return fmt.Errorf("%s instead of %s", event.Type, watch.Deleted)
			}
			if held := event.Object.(metav1.Object); held.GetDeletionTimestamp() != nil {
				return nil
			}
		case <-time.After(20 * time.Second):
			return fmt.Errorf("no event %s", watch.Deleted)
		}
	}
}

func clients(kubeconfig string) (binary, text kubernetes.Interface, err error) {
	config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
	if err != nil {
		return nil, nil, err
	}
	config.QPS = -1
	of := func(contentType string) (kubernetes.Interface, error) {
		own := rest.CopyConfig(config)
		own.ContentType, own.AcceptContentTypes = contentType, contentType
		return kubernetes.NewForConfig(own)
	}
	if binary, err = of(runtime.ContentTypeProtobuf); err != nil {
		return nil, nil, err
	}
	text, err = of(runtime.ContentTypeJSON)
	return binary, text, err
}

// Run takes every kind through its life.
func Run(arguments []string) error {
	flags := flag.NewFlagSet("typed", flag.ExitOnError)
	kubeconfig := flags.String("kubeconfig", "", "path of a kubeconfig")
	_ = flags.Parse(arguments)
	binary, text, err := clients(*kubeconfig)
	if err != nil {
		return err
	}
	var failed []error
	for _, life := range lives(binary, text) {
		if err := life.run(context.Background()); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", life.kind, err))
			continue
		}
		fmt.Println(life.kind)
	}
	return errors.Join(failed...)
}
