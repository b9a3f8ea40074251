// Package envtest starts a control plane as the test suites of operators do, and uses what they rely on: a CRD, a
// webhook whose caBundle is its own certificate, users, and a restart of the API server on the same etcd.
package envtest

import (
	"context"
	"fmt"
	"net/http"
	"time"

	admissionv1 "k8s.io/api/admissionregistration/v1"
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	"sigs.k8s.io/controller-runtime/pkg/webhook"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"
)

// Run uses the programs in KUBEBUILDER_ASSETS. It prints a line for each promise that holds.
func Run([]string) (err error) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	environment := &envtest.Environment{
		CRDs:                  []*apiextensionsv1.CustomResourceDefinition{widgets()},
		WebhookInstallOptions: envtest.WebhookInstallOptions{ValidatingWebhooks: []*admissionv1.ValidatingWebhookConfiguration{denyAll()}},
	}
	begin := time.Now()
	config, err := environment.Start()
	if err != nil {
		return fmt.Errorf("start: %w", err)
	}
	defer func() {
		if stopped := environment.Stop(); err == nil && stopped != nil {
			err = fmt.Errorf("stop: %w", stopped)
		}
	}()
	fmt.Printf("started in %d ms, with its CRD\n", time.Since(begin).Milliseconds())

	admin, err := client.New(config, client.Options{Scheme: scheme.Scheme})
	if err != nil {
		return err
	}
	if err := checkWebhook(ctx, environment, admin); err != nil {
		return err
	}
	if err := checkUser(ctx, environment); err != nil {
		return err
	}
	return checkRestart(ctx, environment)
}

func checkWebhook(ctx context.Context, environment *envtest.Environment, admin client.Client) error {
	options := environment.WebhookInstallOptions
	server := webhook.NewServer(webhook.Options{Host: options.LocalServingHost, Port: options.LocalServingPort, CertDir: options.LocalServingCertDir})
	server.Register("/deny", &webhook.Admission{Handler: admission.HandlerFunc(func(context.Context, admission.Request) admission.Response {
		return admission.Denied("no Secrets here")
	})})
	serving, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- server.Start(serving) }()
	defer func() { stop(); <-ended }()
	for server.StartedChecker()((*http.Request)(nil)) != nil {
		select {
		case err := <-ended:
			return fmt.Errorf("webhook server: %w", err)
		case <-time.After(10 * time.Millisecond):
		}
	}
	err := admin.Create(ctx, &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: "a", Namespace: "default"}})
	const expected = `admission webhook "deny.example.com" denied the request: no Secrets here`
	if err == nil || err.Error() != expected {
		return fmt.Errorf("the webhook was not called: %v", err)
	}
	fmt.Println("the webhook with its own certificate as caBundle denied a request")
	return nil
}

func checkUser(ctx context.Context, environment *envtest.Environment) error {
	user, err := environment.AddUser(envtest.User{Name: "jane", Groups: []string{"system:masters"}}, nil)
	if err != nil {
		return err
	}
	jane, err := client.New(user.Config(), client.Options{Scheme: scheme.Scheme})
	if err != nil {
		return err
	}
	if err := jane.Create(ctx, &corev1.ConfigMap{ObjectMeta: metav1.ObjectMeta{Name: "kept", Namespace: "default"}}); err != nil {
		return err
	}
	fmt.Println("another user created an object")
	return nil
}

func checkRestart(ctx context.Context, environment *envtest.Environment) error {
	server := environment.ControlPlane.APIServer
	if err := server.Stop(); err != nil {
		return fmt.Errorf("stop of the API server: %w", err)
	}
	if err := server.Start(); err != nil {
		return fmt.Errorf("restart of the API server: %w", err)
	}
	again, err := environment.ControlPlane.AddUser(envtest.User{Name: "admin", Groups: []string{"system:masters"}}, nil)
	if err != nil {
		return err
	}
	restarted, err := client.New(again.Config(), client.Options{Scheme: scheme.Scheme})
	if err != nil {
		return err
	}
	if err := restarted.Get(ctx, client.ObjectKey{Namespace: "default", Name: "kept"}, &corev1.ConfigMap{}); err != nil {
		return fmt.Errorf("after the restart: %w", err)
	}
	fmt.Println("a restarted API server serves the objects of the same etcd")
	return nil
}

func denyAll() *admissionv1.ValidatingWebhookConfiguration {
	path, none := "/deny", admissionv1.SideEffectClassNone
	return &admissionv1.ValidatingWebhookConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "deny"},
		Webhooks: []admissionv1.ValidatingWebhook{{
			Name:                    "deny.example.com",
			ClientConfig:            admissionv1.WebhookClientConfig{Service: &admissionv1.ServiceReference{Namespace: "default", Name: "hook", Path: &path}},
			Rules:                   []admissionv1.RuleWithOperations{{Operations: []admissionv1.OperationType{"CREATE"}, Rule: admissionv1.Rule{APIGroups: []string{""}, APIVersions: []string{"v1"}, Resources: []string{"secrets"}}}},
			SideEffects:             &none,
			AdmissionReviewVersions: []string{"v1"},
		}},
	}
}

func widgets() *apiextensionsv1.CustomResourceDefinition {
	object := &apiextensionsv1.JSONSchemaProps{Type: "object"}
	return &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "widgets.envtest.example.com"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "envtest.example.com",
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "widgets", Kind: "Widget"},
			Scope: apiextensionsv1.NamespaceScoped,
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{
				Name: "v1", Served: true, Storage: true,
				Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: object},
			}},
		},
	}
}
