import {
  type NameCheck,
  nameIsDnsLabel,
  nameIsDnsSubdomain,
  nameIsPathSegment,
  tableOf,
} from '@annex/machinery';
import type { Strategy } from '../strategy.ts';
import { metaChecksOf } from './metadata-facts.ts';

/**
 * What kube-apiserver's strategies say of a kind: `c` PUT creates, `u` updates need no resourceVersion,
 * `g` generation counts changes (`f` never
 * counts, `n` begins with the first change, changes of `a` annotations or `l` labels count too), `d` DELETE answers with what was deleted, `o` it orphans
 * dependents unless it is told otherwise, `s` new objects may bring their status. Source: `pkg/registry/<group>/<resource>/strategy.go` of k8s.io/kubernetes v1.36.3.
 */
const flags = tableOf({
  'admissionregistration.k8s.io/mutatingadmissionpolicies': 'g',
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings': 'g',
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': 'g',
  'admissionregistration.k8s.io/validatingadmissionpolicies': 'g',
  'admissionregistration.k8s.io/validatingadmissionpolicybindings': 'g',
  'admissionregistration.k8s.io/validatingwebhookconfigurations': 'g',
  'apiextensions.k8s.io/customresourcedefinitions': 'g',
  'apiregistration.k8s.io/apiservices': 'u',
  'apps/controllerrevisions': 'u',
  'apps/daemonsets': 'ug',
  'apps/deployments': 'uga',
  'apps/replicasets': 'ug',
  'apps/statefulsets': 'ug',
  'autoscaling/horizontalpodautoscalers': 'u',
  'batch/cronjobs': 'ug',
  'batch/jobs': 'ugo',
  'certificates.k8s.io/certificatesigningrequests': 'u',
  'coordination.k8s.io/leases': 'c',
  'discovery.k8s.io/endpointslices': 'ugl',
  'events.k8s.io/events': 'cu',
  'flowcontrol.apiserver.k8s.io/flowschemas': 'ug',
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': 'ug',
  'networking.k8s.io/ingressclasses': 'ug',
  'networking.k8s.io/ingresses': 'ug',
  'networking.k8s.io/ipaddresses': 'u',
  'networking.k8s.io/networkpolicies': 'ug',
  'networking.k8s.io/servicecidrs': 'u',
  'node.k8s.io/runtimeclasses': 'c',
  'policy/poddisruptionbudgets': 'g',
  'rbac.authorization.k8s.io/clusterrolebindings': 'cu',
  'rbac.authorization.k8s.io/clusterroles': 'cu',
  'rbac.authorization.k8s.io/rolebindings': 'cu',
  'rbac.authorization.k8s.io/roles': 'cu',
  'resource.k8s.io/deviceclasses': 'ugd',
  'resource.k8s.io/resourceclaims': 'ud',
  'resource.k8s.io/resourceclaimtemplates': 'ud',
  'resource.k8s.io/resourceslices': 'ugd',
  'scheduling.k8s.io/priorityclasses': 'uf',
  'storage.k8s.io/csidrivers': 'nd',
  'storage.k8s.io/csinodes': 'd',
  'storage.k8s.io/csistoragecapacities': '',
  'storage.k8s.io/storageclasses': 'ud',
  'storage.k8s.io/volumeattachments': 'd',
  'storage.k8s.io/volumeattributesclasses': 'ud',
  '/configmaps': 'u',
  '/endpoints': 'cu',
  '/events': 'cu',
  '/limitranges': 'cu',
  '/namespaces': 'ud',
  '/nodes': 'us',
  '/persistentvolumeclaims': 'ud',
  '/persistentvolumes': 'ud',
  '/pods': 'ugd',
  '/podtemplates': 'ugd',
  '/replicationcontrollers': 'ugo',
  '/resourcequotas': 'ud',
  '/secrets': 'u',
  '/serviceaccounts': 'ud',
  '/services': 'cud',
});

/** What `metadata.name` must be, where it is not a DNS subdomain. */
const nameChecks = tableOf<NameCheck>({
  '/events': nameIsPathSegment,
  '/namespaces': nameIsDnsLabel,
  '/services': nameIsDnsLabel,
  'apps/statefulsets': nameIsDnsLabel,
  'apiregistration.k8s.io/apiservices': nameIsPathSegment,
  'certificates.k8s.io/certificatesigningrequests': () => [],
  'events.k8s.io/events': nameIsPathSegment,
  'rbac.authorization.k8s.io/clusterrolebindings': nameIsPathSegment,
  'rbac.authorization.k8s.io/clusterroles': nameIsPathSegment,
  'rbac.authorization.k8s.io/rolebindings': nameIsPathSegment,
  'rbac.authorization.k8s.io/roles': nameIsPathSegment,
});

/** The part of a strategy that is the same kind of fact for every kind. */
export function traitsOf(group: string, resource: string): Strategy {
  const key = `${group}/${resource}`;
  const has = (flag: string) => flags.get(key)?.includes(flag) ?? false;
  return {
    allowCreateOnUpdate: has('c'),
    allowUnconditionalUpdate: has('u'),
    ...(has('a') ? { generationCounts: 'annotations' as const } : {}),
    ...(has('l') ? { generationCounts: 'labels' as const } : {}),
    generation: has('f') ? 'fixed' : has('n') ? 'fromFirstChange' : has('g'),
    returnsDeleted: has('d'),
    orphansByDefault: has('o'),
    takesNewStatus: has('s'),
    metaChecks: metaChecksOf(group, resource),
    validateName: nameChecks.get(key) ?? nameIsDnsSubdomain,
  };
}
