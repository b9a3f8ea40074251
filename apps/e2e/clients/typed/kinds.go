package typed

import (
	"context"

	admissionregistration "k8s.io/api/admissionregistration/v1"
	apps "k8s.io/api/apps/v1"
	autoscaling "k8s.io/api/autoscaling/v2"
	batch "k8s.io/api/batch/v1"
	certificates "k8s.io/api/certificates/v1"
	coordination "k8s.io/api/coordination/v1"
	core "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	events "k8s.io/api/events/v1"
	flowcontrol "k8s.io/api/flowcontrol/v1"
	networking "k8s.io/api/networking/v1"
	node "k8s.io/api/node/v1"
	policy "k8s.io/api/policy/v1"
	rbac "k8s.io/api/rbac/v1"
	resource "k8s.io/api/resource/v1"
	scheduling "k8s.io/api/scheduling/v1"
	storage "k8s.io/api/storage/v1"
	quantity "k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes"
)

// life is one kind and its way through all verbs.
type life struct {
	kind string
	run  func(context.Context) error
}

func lifeOf[O object, L runtime.Object](kind string, binary, text typedClient[O, L], wanted O) life {
	wanted.SetName("typed")
	return life{kind, func(ctx context.Context) error { return walk(ctx, binary, text, wanted) }}
}

func pointer[T any](value T) *T { return &value }

var (
	labels   = map[string]string{"app": "typed"}
	selector = &metav1.LabelSelector{MatchLabels: labels}
	oneGiB   = core.ResourceList{core.ResourceStorage: quantity.MustParse("1Gi")}
	podSpec  = core.PodSpec{Containers: []core.Container{{Name: "c", Image: "nginx", Ports: []core.ContainerPort{{ContainerPort: 80}}}}}
	template = core.PodTemplateSpec{ObjectMeta: metav1.ObjectMeta{Labels: labels}, Spec: podSpec}
	once     = core.PodTemplateSpec{Spec: core.PodSpec{RestartPolicy: core.RestartPolicyNever, Containers: podSpec.Containers}}
)

// lives lists the kinds that have all verbs.
func lives(b, t kubernetes.Interface) []life {
	return append(coreLives(b, t), otherLives(b, t)...)
}

func coreLives(b, t kubernetes.Interface) []life {
	bc, tc := b.CoreV1(), t.CoreV1()
	return []life{
		lifeOf("ConfigMap", bc.ConfigMaps(namespace), tc.ConfigMaps(namespace), &core.ConfigMap{
			Data: map[string]string{"a": "ü"}, BinaryData: map[string][]byte{"b": {0, 255}}}),
		lifeOf("Secret", bc.Secrets(namespace), tc.Secrets(namespace), &core.Secret{
			Data: map[string][]byte{"a": {0, 1}}, StringData: map[string]string{"b": "c"}}),
		lifeOf("Service", bc.Services(namespace), tc.Services(namespace), &core.Service{
			Spec: core.ServiceSpec{Selector: labels, Ports: []core.ServicePort{{Port: 80, TargetPort: intstr.FromString("web")}}}}),
		lifeOf("ServiceAccount", bc.ServiceAccounts(namespace), tc.ServiceAccounts(namespace), &core.ServiceAccount{}),
		lifeOf("Endpoints", bc.Endpoints(namespace), tc.Endpoints(namespace), &core.Endpoints{
			Subsets: []core.EndpointSubset{{Addresses: []core.EndpointAddress{{IP: "10.1.0.1"}}, Ports: []core.EndpointPort{{Port: 80}}}}}),
		lifeOf("Pod", bc.Pods(namespace), tc.Pods(namespace), &core.Pod{Spec: podSpec}),
		lifeOf("PodTemplate", bc.PodTemplates(namespace), tc.PodTemplates(namespace), &core.PodTemplate{Template: template}),
		lifeOf("ReplicationController", bc.ReplicationControllers(namespace), tc.ReplicationControllers(namespace), &core.ReplicationController{
			Spec: core.ReplicationControllerSpec{Selector: labels, Template: &template}}),
		lifeOf("LimitRange", bc.LimitRanges(namespace), tc.LimitRanges(namespace), &core.LimitRange{
			Spec: core.LimitRangeSpec{Limits: []core.LimitRangeItem{{Type: core.LimitTypePersistentVolumeClaim, Max: oneGiB}}}}),
		lifeOf("ResourceQuota", bc.ResourceQuotas(namespace), tc.ResourceQuotas(namespace), &core.ResourceQuota{
			Spec: core.ResourceQuotaSpec{Hard: core.ResourceList{"count/leases.coordination.k8s.io": quantity.MustParse("1k")}}}),
		lifeOf("PersistentVolumeClaim", bc.PersistentVolumeClaims(namespace), tc.PersistentVolumeClaims(namespace), &core.PersistentVolumeClaim{
			Spec: core.PersistentVolumeClaimSpec{AccessModes: []core.PersistentVolumeAccessMode{core.ReadWriteOnce},
				Resources: core.VolumeResourceRequirements{Requests: oneGiB}}}),
		lifeOf("Event", bc.Events(namespace), tc.Events(namespace), &core.Event{
			InvolvedObject: core.ObjectReference{Namespace: namespace}, FirstTimestamp: metav1.Now().Rfc3339Copy(), Count: 1}),
		lifeOf("PersistentVolume", bc.PersistentVolumes(), tc.PersistentVolumes(), &core.PersistentVolume{
			Spec: core.PersistentVolumeSpec{Capacity: oneGiB, AccessModes: []core.PersistentVolumeAccessMode{core.ReadWriteOnce},
				PersistentVolumeSource: core.PersistentVolumeSource{HostPath: &core.HostPathVolumeSource{Path: "/disk"}}}}),
		lifeOf("Node", bc.Nodes(), tc.Nodes(), &core.Node{Spec: core.NodeSpec{PodCIDR: "10.2.0.0/24"}}),
		lifeOf("Namespace", bc.Namespaces(), tc.Namespaces(), &core.Namespace{}),
	}
}

func otherLives(b, t kubernetes.Interface) []life {
	ba, ta := b.AppsV1(), t.AppsV1()
	workload := apps.DeploymentSpec{Selector: selector, Template: template, Replicas: pointer(int32(0))}
	return []life{
		lifeOf("Deployment", ba.Deployments(namespace), ta.Deployments(namespace), &apps.Deployment{Spec: workload}),
		lifeOf("ReplicaSet", ba.ReplicaSets(namespace), ta.ReplicaSets(namespace), &apps.ReplicaSet{
			Spec: apps.ReplicaSetSpec{Selector: selector, Template: template}}),
		lifeOf("DaemonSet", ba.DaemonSets(namespace), ta.DaemonSets(namespace), &apps.DaemonSet{
			Spec: apps.DaemonSetSpec{Selector: selector, Template: template}}),
		lifeOf("StatefulSet", ba.StatefulSets(namespace), ta.StatefulSets(namespace), &apps.StatefulSet{
			Spec: apps.StatefulSetSpec{Selector: selector, Template: template, ServiceName: "db"}}),
		lifeOf("ControllerRevision", ba.ControllerRevisions(namespace), ta.ControllerRevisions(namespace), &apps.ControllerRevision{
			Data: runtime.RawExtension{Raw: []byte(`{"a":1}`)}, Revision: 3}),
		lifeOf("Job", b.BatchV1().Jobs(namespace), t.BatchV1().Jobs(namespace), &batch.Job{Spec: batch.JobSpec{Template: once}}),
		lifeOf("CronJob", b.BatchV1().CronJobs(namespace), t.BatchV1().CronJobs(namespace), &batch.CronJob{
			Spec: batch.CronJobSpec{Schedule: "0 * * * *", JobTemplate: batch.JobTemplateSpec{Spec: batch.JobSpec{Template: once}}}}),
		lifeOf("HorizontalPodAutoscaler", b.AutoscalingV2().HorizontalPodAutoscalers(namespace), t.AutoscalingV2().HorizontalPodAutoscalers(namespace),
			&autoscaling.HorizontalPodAutoscaler{Spec: autoscaling.HorizontalPodAutoscalerSpec{MaxReplicas: 3,
				ScaleTargetRef: autoscaling.CrossVersionObjectReference{APIVersion: "apps/v1", Kind: "Deployment", Name: "web"}}}),
		lifeOf("Lease", b.CoordinationV1().Leases(namespace), t.CoordinationV1().Leases(namespace), &coordination.Lease{
			Spec: coordination.LeaseSpec{HolderIdentity: pointer("me"), RenewTime: pointer(metav1.NewMicroTime(metav1.Now().Rfc3339Copy().Time))}}),
		lifeOf("EndpointSlice", b.DiscoveryV1().EndpointSlices(namespace), t.DiscoveryV1().EndpointSlices(namespace), &discovery.EndpointSlice{
			AddressType: discovery.AddressTypeIPv4, Endpoints: []discovery.Endpoint{{Addresses: []string{"10.1.0.1"}}},
			Ports: []discovery.EndpointPort{{Port: pointer(int32(80))}}}),
		lifeOf("Event of events.k8s.io", b.EventsV1().Events(namespace), t.EventsV1().Events(namespace), &events.Event{
			EventTime: metav1.NewMicroTime(metav1.Now().Rfc3339Copy().Time), Type: "Normal", Reason: "Typed", Action: "Test",
			ReportingController: "clients.example.com/typed", ReportingInstance: "a", Regarding: core.ObjectReference{Namespace: namespace}}),
		lifeOf("Ingress", b.NetworkingV1().Ingresses(namespace), t.NetworkingV1().Ingresses(namespace), &networking.Ingress{
			Spec: networking.IngressSpec{DefaultBackend: &networking.IngressBackend{
				Service: &networking.IngressServiceBackend{Name: "web", Port: networking.ServiceBackendPort{Number: 80}}}}}),
		lifeOf("NetworkPolicy", b.NetworkingV1().NetworkPolicies(namespace), t.NetworkingV1().NetworkPolicies(namespace), &networking.NetworkPolicy{}),
		lifeOf("IngressClass", b.NetworkingV1().IngressClasses(), t.NetworkingV1().IngressClasses(), &networking.IngressClass{
			Spec: networking.IngressClassSpec{Controller: "example.com/typed"}}),
		lifeOf("PodDisruptionBudget", b.PolicyV1().PodDisruptionBudgets(namespace), t.PolicyV1().PodDisruptionBudgets(namespace), &policy.PodDisruptionBudget{
			Spec: policy.PodDisruptionBudgetSpec{Selector: selector, MinAvailable: pointer(intstr.FromString("50%"))}}),
		lifeOf("Role", b.RbacV1().Roles(namespace), t.RbacV1().Roles(namespace), &rbac.Role{
			Rules: []rbac.PolicyRule{{Verbs: []string{"get"}, APIGroups: []string{""}, Resources: []string{"pods"}}}}),
		lifeOf("RoleBinding", b.RbacV1().RoleBindings(namespace), t.RbacV1().RoleBindings(namespace), &rbac.RoleBinding{
			RoleRef: rbac.RoleRef{Kind: "ClusterRole", Name: "view"}, Subjects: []rbac.Subject{{Kind: "User", Name: "jane"}}}),
		lifeOf("ClusterRole", b.RbacV1().ClusterRoles(), t.RbacV1().ClusterRoles(), &rbac.ClusterRole{
			Rules: []rbac.PolicyRule{{Verbs: []string{"get"}, NonResourceURLs: []string{"/healthz"}}}}),
		lifeOf("ClusterRoleBinding", b.RbacV1().ClusterRoleBindings(), t.RbacV1().ClusterRoleBindings(), &rbac.ClusterRoleBinding{
			RoleRef: rbac.RoleRef{Kind: "ClusterRole", Name: "view"}}),
		lifeOf("PriorityClass", b.SchedulingV1().PriorityClasses(), t.SchedulingV1().PriorityClasses(), &scheduling.PriorityClass{Value: 7}),
		lifeOf("StorageClass", b.StorageV1().StorageClasses(), t.StorageV1().StorageClasses(), &storage.StorageClass{Provisioner: "example.com/typed"}),
		lifeOf("CSIDriver", b.StorageV1().CSIDrivers(), t.StorageV1().CSIDrivers(), &storage.CSIDriver{}),
		lifeOf("VolumeAttachment", b.StorageV1().VolumeAttachments(), t.StorageV1().VolumeAttachments(), &storage.VolumeAttachment{
			Spec: storage.VolumeAttachmentSpec{Attacher: "example.com", NodeName: "n", Source: storage.VolumeAttachmentSource{PersistentVolumeName: pointer("v")}}}),
		lifeOf("RuntimeClass", b.NodeV1().RuntimeClasses(), t.NodeV1().RuntimeClasses(), &node.RuntimeClass{Handler: "h"}),
		lifeOf("FlowSchema", b.FlowcontrolV1().FlowSchemas(), t.FlowcontrolV1().FlowSchemas(), &flowcontrol.FlowSchema{
			Spec: flowcontrol.FlowSchemaSpec{MatchingPrecedence: 5000, PriorityLevelConfiguration: flowcontrol.PriorityLevelConfigurationReference{Name: "global-default"}}}),
		lifeOf("DeviceClass", b.ResourceV1().DeviceClasses(), t.ResourceV1().DeviceClasses(), &resource.DeviceClass{}),
		lifeOf("ResourceClaim", b.ResourceV1().ResourceClaims(namespace), t.ResourceV1().ResourceClaims(namespace), &resource.ResourceClaim{
			Spec: resource.ResourceClaimSpec{Devices: resource.DeviceClaim{Requests: []resource.DeviceRequest{{Name: "r", Exactly: &resource.ExactDeviceRequest{DeviceClassName: "typed"}}}}}}),
		lifeOf("CertificateSigningRequest", b.CertificatesV1().CertificateSigningRequests(), t.CertificatesV1().CertificateSigningRequests(), request()),
		lifeOf("ValidatingWebhookConfiguration", b.AdmissionregistrationV1().ValidatingWebhookConfigurations(), t.AdmissionregistrationV1().ValidatingWebhookConfigurations(),
			&admissionregistration.ValidatingWebhookConfiguration{}),
		lifeOf("MutatingWebhookConfiguration", b.AdmissionregistrationV1().MutatingWebhookConfigurations(), t.AdmissionregistrationV1().MutatingWebhookConfigurations(),
			&admissionregistration.MutatingWebhookConfiguration{}),
		lifeOf("ValidatingAdmissionPolicy", b.AdmissionregistrationV1().ValidatingAdmissionPolicies(), t.AdmissionregistrationV1().ValidatingAdmissionPolicies(),
			&admissionregistration.ValidatingAdmissionPolicy{Spec: admissionregistration.ValidatingAdmissionPolicySpec{
				Validations: []admissionregistration.Validation{{Expression: "true"}},
				MatchConstraints: &admissionregistration.MatchResources{ResourceRules: []admissionregistration.NamedRuleWithOperations{{
					RuleWithOperations: admissionregistration.RuleWithOperations{
						Operations: []admissionregistration.OperationType{admissionregistration.Create},
						Rule:       admissionregistration.Rule{APIGroups: []string{"typed.example.com"}, APIVersions: []string{"v1"}, Resources: []string{"none"}}}}}}}}),
	}
}

// request is a request for a certificate, in the form that a client sends.
func request() *certificates.CertificateSigningRequest {
	return &certificates.CertificateSigningRequest{Spec: certificates.CertificateSigningRequestSpec{
		Request: newRequest(), SignerName: "example.com/typed", Usages: []certificates.KeyUsage{certificates.UsageClientAuth}}}
}
