import { getOwn, isObject, type JsonObject, type KubeObject, validateDns1123Label } from '@annex/machinery';
import { childOf } from '../kinds/shared/checks.ts';
import { claimWarnings, podWarnings } from '../kinds/shared/pod-spec/warnings.ts';
import { serviceWarnings } from '../kinds/core/services/warnings.ts';
import { about, annotations, root, type Warnings } from '../kinds/shared/warnings.ts';

const onCreate =
  (warn: (object: KubeObject) => string[]): Warnings =>
  (object, old) =>
    old === undefined ? warn(object) : [];

/** A name that becomes part of hostnames should be one. */
const labelName =
  (use: string) =>
  ({ metadata: { name = '' } }: KubeObject): string[] => {
    const why = validateDns1123Label(name);
    const text = `this is used in ${use}, which can result in surprising behavior; a DNS label is recommended: [${why.join(' ')}]`;
    return why.length === 0 ? [] : [`metadata.name: ${text}`];
  };

const inPodNames = onCreate(labelName('Pod names and hostnames'));

/** The pods of a template, whenever it may have changed. */
const template =
  (...path: string[]): Warnings =>
  (object, old) => {
    if (old !== undefined && old.metadata.generation === object.metadata.generation) return [];
    let holder = object as unknown as JsonObject;
    for (const name of path) holder = childOf(holder, name);
    return podWarnings(holder, root.child(...path));
  };

const both =
  (...parts: Warnings[]): Warnings =>
  (object, old) =>
    parts.flatMap((warn) => warn(object, old));

const specOf = (object: KubeObject): JsonObject => (isObject(object.spec) ? object.spec : {});

const formerClass = {
  'volume.beta.kubernetes.io/storage-class':
    'deprecated since v1.8; use "storageClassName" attribute instead',
};

const ingressClass = 'kubernetes.io/ingress.class';

const formerVolumes: Readonly<Record<string, string>> = {
  cephfs: 'deprecated in v1.28, non-functional in v1.31+',
  photonPersistentDisk: 'deprecated in v1.11, non-functional in v1.16+',
  scaleIO: 'deprecated in v1.16, non-functional in v1.22+',
  storageos: 'deprecated in v1.22, non-functional in v1.25+',
  glusterfs: 'deprecated in v1.25, non-functional in v1.26+',
  rbd: 'deprecated in v1.28, non-functional in v1.31+',
};

const volume: Warnings = (object) => {
  const spec = specOf(object);
  const recycles = spec.persistentVolumeReclaimPolicy === 'Recycle';
  const text =
    'The Recycle reclaim policy is deprecated. Instead, the recommended approach is to use dynamic provisioning.';
  return [
    ...annotations(object, formerClass, root),
    ...(recycles ? [about(root.child('spec', 'persistentVolumeReclaimPolicy'), text)] : []),
    ...Object.entries(formerVolumes).flatMap(([type, why]) =>
      isObject(getOwn(spec, type)) ? [about(root.child('spec', type), why)] : [],
    ),
  ];
};

const mountableSecrets = {
  'kubernetes.io/enforce-mountable-secrets':
    'deprecated in v1.32+; prefer separate namespaces to isolate access to mounted secrets',
};

/** Told when it is set, not again on every update. */
const serviceAccount: Warnings = (account, old) =>
  old && annotations(old, mountableSecrets, root).length > 0
    ? []
    : annotations(account, mountableSecrets, root);

const table: Readonly<Record<string, Warnings>> = {
  '/persistentvolumeclaims': (claim) => [
    ...annotations(claim, formerClass, root),
    ...claimWarnings(specOf(claim), root.child('spec')),
  ],
  '/persistentvolumes': volume,
  '/pods': onCreate((pod) => [
    ...labelName("the Pod's hostname")(pod),
    ...podWarnings(pod as unknown as JsonObject, root),
  ]),
  '/podtemplates': template('template'),
  '/replicationcontrollers': both(inPodNames, template('spec', 'template')),
  '/serviceaccounts': serviceAccount,
  '/services': serviceWarnings,
  'apps/daemonsets': template('spec', 'template'),
  'apps/deployments': both(inPodNames, template('spec', 'template')),
  'apps/replicasets': both(inPodNames, template('spec', 'template')),
  'apps/statefulsets': template('spec', 'template'),
  'batch/cronjobs': both(inPodNames, template('spec', 'jobTemplate', 'spec', 'template')),
  'batch/jobs': both(inPodNames, template('spec', 'template')),
  'networking.k8s.io/ingresses': onCreate(({ metadata }) =>
    metadata.annotations?.[ingressClass] === undefined
      ? []
      : [`annotation "${ingressClass}" is deprecated, please use 'spec.ingressClassName' instead`],
  ),
};

/** What a client is warned of when it writes a kind; `undefined` for kinds without warnings here. */
export const warningsOf = (group: string, resource: string): Warnings | undefined =>
  table[`${group}/${resource}`];
