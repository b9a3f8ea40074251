// Package reconciler is an operator on controller-runtime: each widget gets a ConfigMap of its own and a status. Replicas
// elect one of them by a Lease.
package reconciler

import (
	"context"
	"flag"
	"fmt"
	"strconv"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/controller"
	"sigs.k8s.io/controller-runtime/pkg/controller/controllerutil"
	"sigs.k8s.io/controller-runtime/pkg/log/zap"
	"sigs.k8s.io/controller-runtime/pkg/metrics/server"

	"annex.example.com/e2e/clients/widgets"
)

type reconciler struct {
	client.Client
	replica string
}

// Reconcile works on cached objects: what is not the newest is refused with a conflict and done again.
func (r *reconciler) Reconcile(ctx context.Context, request ctrl.Request) (ctrl.Result, error) {
	var widget widgets.Widget
	if err := r.Get(ctx, request.NamespacedName, &widget); err != nil {
		return ctrl.Result{}, client.IgnoreNotFound(err)
	}
	if !widget.DeletionTimestamp.IsZero() {
		if !controllerutil.RemoveFinalizer(&widget, widgets.Finalizer) {
			return ctrl.Result{}, nil
		}
		return again(r.Update(ctx, &widget))
	}
	if widget.Status.ObservedGeneration == widget.Generation {
		return ctrl.Result{}, nil
	}
	if err := r.applySize(ctx, &widget); err != nil {
		return again(err)
	}
	widget.Status.Writes++
	widget.Status.By = r.replica
	widget.Status.ObservedGeneration = widget.Generation
	return again(r.Status().Update(ctx, &widget))
}

// applySize gives the ConfigMap of the widget its size.
func (r *reconciler) applySize(ctx context.Context, widget *widgets.Widget) error {
	config := corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: widget.Name, Namespace: widget.Namespace}}
	_, err := controllerutil.CreateOrUpdate(ctx, r.Client, &config, func() error {
		config.Data = map[string]string{"size": strconv.FormatInt(widget.Spec.Size, 10)}
		return controllerutil.SetControllerReference(widget, &config, r.Scheme())
	})
	return err
}

// again turns the errors of a stale cache into another attempt.
func again(err error) (ctrl.Result, error) {
	if apierrors.IsConflict(err) || apierrors.IsAlreadyExists(err) || apierrors.IsNotFound(err) {
		return ctrl.Result{RequeueAfter: 50 * time.Millisecond}, nil
	}
	return ctrl.Result{}, err
}

// Run reconciles for as long as it leads.
func Run(arguments []string) error {
	flags := flag.CommandLine // controller-runtime adds --kubeconfig to it.
	replica := flags.String("replica", "", "name of this replica")
	leaseDuration := flags.Duration("lease-duration", 15*time.Second, "how long a leader stays so without a word")
	renewDeadline := flags.Duration("renew-deadline", 10*time.Second, "how long a leader tries to renew its lease")
	_ = flags.Parse(arguments)
	ctrl.SetLogger(zap.New())
	if err := widgets.AddToScheme(scheme.Scheme); err != nil {
		return err
	}
	config := ctrl.GetConfigOrDie()
	config.QPS = -1
	retryPeriod := 500 * time.Millisecond
	manager, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:                  scheme.Scheme,
		Metrics:                 server.Options{BindAddress: "0"},
		LeaderElection:          true,
		LeaderElectionID:        "reconciler",
		LeaderElectionNamespace: "default",
		LeaseDuration:           leaseDuration,
		RenewDeadline:           renewDeadline,
		RetryPeriod:             &retryPeriod,
	})
	if err != nil {
		return err
	}
	err = ctrl.NewControllerManagedBy(manager).
		For(&widgets.Widget{}).
		Owns(&corev1.ConfigMap{}).
		WithOptions(controller.Options{MaxConcurrentReconciles: 8}).
		Complete(&reconciler{Client: manager.GetClient(), replica: *replica})
	if err != nil {
		return err
	}
	go func() {
		<-manager.Elected()
		fmt.Println("elected", *replica)
	}()
	return manager.Start(ctrl.SetupSignalHandler())
}
