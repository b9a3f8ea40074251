import type { ObjectMeta } from '@annex/machinery';
import type { MetaChecks } from '../strategy.ts';

/**
 * How often a kind's own validation checks the metadata of an update again, beside what is checked of every kind: `u` as
 * an update, `w` as a whole, `s` with the rule for standard finalizers each time (that one on creates too). A client sees
 * one cause for each time. Source: `ValidateXUpdate` in `pkg/apis/<group>/validation` of k8s.io/kubernetes v1.36.3.
 */
const checks: Readonly<Record<string, string>> = {
  'admissionregistration.k8s.io/mutatingadmissionpolicies': 'w',
  'admissionregistration.k8s.io/mutatingadmissionpolicybindings': 'w',
  'admissionregistration.k8s.io/mutatingwebhookconfigurations': 'w',
  'admissionregistration.k8s.io/validatingadmissionpolicies': 'w',
  'admissionregistration.k8s.io/validatingadmissionpolicybindings': 'w',
  'admissionregistration.k8s.io/validatingwebhookconfigurations': 'w',
  'apiextensions.k8s.io/customresourcedefinitions': 'u',
  'apiregistration.k8s.io/apiservices': 'uw',
  'apps/daemonsets': 'us',
  'apps/deployments': 'us',
  'apps/replicasets': 'us',
  'apps/statefulsets': 'us',
  'autoscaling/horizontalpodautoscalers': 'us',
  'batch/cronjobs': 'us',
  'coordination.k8s.io/leases': 'u',
  'discovery.k8s.io/endpointslices': 'ws',
  'events.k8s.io/events': '',
  'flowcontrol.apiserver.k8s.io/flowschemas': 'ws',
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': 'ws',
  'networking.k8s.io/networkpolicies': 'us',
  'networking.k8s.io/servicecidrs': 'us',
  'node.k8s.io/runtimeclasses': 'uw',
  'policy/poddisruptionbudgets': '',
  'resource.k8s.io/resourceslices': 'us',
  'scheduling.k8s.io/priorityclasses': 'us',
  'storage.k8s.io/csidrivers': 'us',
  'storage.k8s.io/csinodes': 'ws',
  'storage.k8s.io/volumeattachments': 'ws',
  '/events': '',
  '/limitranges': 'ws',
  '/persistentvolumes': 'wws',
  '/podtemplates': 'us',
  '/replicationcontrollers': 'us',
  '/resourcequotas': 'us',
  '/services': 'us',
};

/** The same for the status endpoint. */
const statusChecks: Readonly<Record<string, string>> = {
  'apiextensions.k8s.io/customresourcedefinitions': 'u',
  'batch/cronjobs': '',
  'certificates.k8s.io/certificatesigningrequests': 'uws',
  'policy/poddisruptionbudgets': '',
};

const count = (flags: string, flag: string): number => flags.split(flag).length - 1;

const parsed = (flags: string): MetaChecks => ({
  asUpdate: count(flags, 'u'),
  asWhole: count(flags, 'w'),
  standardFinalizers: flags.includes('s'),
});

/** How a built-in kind checks metadata in its own validation. */
export const metaChecksOf = (group: string, resource: string): MetaChecks =>
  parsed(checks[`${group}/${resource}`] ?? 'uws');

/** How the status endpoint of a built-in kind does. */
export const statusMetaChecksOf = (group: string, resource: string): MetaChecks =>
  parsed(statusChecks[`${group}/${resource}`] ?? 'us');

type MetaFields = readonly (keyof ObjectMeta)[];

const allMetadata: MetaFields = ['labels', 'annotations', 'finalizers', 'ownerReferences'];

/** The metadata that a write to the status endpoint leaves as it is; of the other kinds it takes all. */
const keptByStatus: Readonly<Record<string, MetaFields>> = {
  'admissionregistration.k8s.io/validatingadmissionpolicies': allMetadata,
  'apiregistration.k8s.io/apiservices': allMetadata,
  'apps/deployments': ['labels'],
  'flowcontrol.apiserver.k8s.io/flowschemas': allMetadata,
  'flowcontrol.apiserver.k8s.io/prioritylevelconfigurations': allMetadata,
  'networking.k8s.io/servicecidrs': allMetadata,
  'resource.k8s.io/resourceclaims': allMetadata,
  'storage.k8s.io/volumeattachments': allMetadata,
  '/pods': ['ownerReferences'],
};

/** The metadata fields that a write to the status endpoint of a kind leaves as they are. */
export const keptByStatusOf = (group: string, resource: string): MetaFields =>
  keptByStatus[`${group}/${resource}`] ?? [];

/** What a write to the status endpoint of a kind never owns, as paths. */
export function resetByStatusOf(group: string, resource: string): readonly (readonly string[])[] {
  const kept = keptByStatusOf(group, resource);
  if (kept.length === allMetadata.length) return [['metadata'], ['spec']];
  const deletion = resource === 'pods' ? [['metadata', 'deletionTimestamp']] : [];
  return [['spec'], ...kept.map((field) => ['metadata', field]), ...deletion];
}
