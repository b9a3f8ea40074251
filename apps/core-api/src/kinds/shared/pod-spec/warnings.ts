import type { FieldPath } from '@annex/machinery';
import { getOwn, isObject, type JsonObject, tableOf, repetitions } from '@annex/machinery';
import { claimWarnings } from '../../core/persistentvolumeclaims/warnings.ts';
import { childOf, objectsOf } from '../checks.ts';
import { overlapWarnings } from './overlapping-paths.ts';
import { about, annotations, dnsLabelName, fractional, onCreate, root, type Warnings } from '../warnings.ts';

const renamed = (since: string, name: string) => `deprecated since ${since}; use "${name}" instead`;

/** Labels of nodes that were renamed. */
const nodeLabels = tableOf({
  'beta.kubernetes.io/arch': renamed('v1.14', 'kubernetes.io/arch'),
  'beta.kubernetes.io/os': renamed('v1.14', 'kubernetes.io/os'),
  'failure-domain.beta.kubernetes.io/region': renamed('v1.17', 'topology.kubernetes.io/region'),
  'failure-domain.beta.kubernetes.io/zone': renamed('v1.17', 'topology.kubernetes.io/zone'),
  'beta.kubernetes.io/instance-type': renamed('v1.17', 'node.kubernetes.io/instance-type'),
});

const formerAnnotations = {
  'scheduler.alpha.kubernetes.io/critical-pod':
    'non-functional in v1.16+; use the "priorityClassName" field instead',
  'security.alpha.kubernetes.io/sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
  'security.alpha.kubernetes.io/unsafe-sysctls': 'non-functional in v1.11+; use the "sysctls" field instead',
};

const gone = (deprecated: string, removed: string) =>
  `deprecated in ${deprecated}, non-functional in ${removed}+`;

const volumeTypes: Readonly<Record<string, string>> = {
  photonPersistentDisk: gone('v1.11', 'v1.16'),
  gitRepo: 'deprecated in v1.11, and disabled by default in v1.33+',
  scaleIO: gone('v1.16', 'v1.22'),
  flocker: gone('v1.22', 'v1.25'),
  storageos: gone('v1.22', 'v1.25'),
  quobyte: gone('v1.22', 'v1.25'),
  glusterfs: gone('v1.25', 'v1.26'),
  cephfs: gone('v1.28', 'v1.31'),
  rbd: gone('v1.28', 'v1.31'),
};

/** Returns warnings about a pod, or about a pod template. */
export function podWarnings(pod: JsonObject, at: FieldPath): string[] {
  const spec = childOf(pod, 'spec');
  const where = at.child('spec');
  return [
    ...nodeSelector(spec, where),
    ...topology(spec, where),
    ...annotations(pod, formerAnnotations, at),
    ...volumes(spec, where),
    ...overlapWarnings(spec.volumes),
    ...repeated(spec.hostAliases, 'ip', where.child('hostAliases')),
    ...repeated(spec.imagePullSecrets, 'name', where.child('imagePullSecrets')),
    ...emptyNames(spec.imagePullSecrets, where.child('imagePullSecrets')),
    ...fractional(spec.overhead, sizes, where.child('overhead')),
    ...containers(spec, where).flatMap(([container, path]) => containerWarnings(container, path)),
    ...ports(spec, where),
    ...grace(spec, where),
    ...affinity(spec, where),
  ];
}

const sizes = ['memory', 'ephemeral-storage'];

const nodeSelector = (spec: JsonObject, at: FieldPath): string[] =>
  Object.keys(childOf(spec, 'nodeSelector')).flatMap((label) => {
    const text = nodeLabels.get(label);
    return text === undefined ? [] : [about(at.child('nodeSelector').key(label), text)];
  });

const nullSelector = 'a null labelSelector results in matching no pod';

const topology = (spec: JsonObject, at: FieldPath): string[] =>
  objectsOf(spec.topologySpreadConstraints).flatMap(({ topologyKey, labelSelector }, index) => {
    const path = at.child('topologySpreadConstraints').index(index);
    const text = nodeLabels.get(String(topologyKey));
    return [
      ...(text === undefined ? [] : [about(path.child('topologyKey'), `${String(topologyKey)} is ${text}`)]),
      ...(isObject(labelSelector) ? [] : [about(path.child('labelSelector'), nullSelector)]),
    ];
  });

const volumes = (spec: JsonObject, at: FieldPath): string[] =>
  objectsOf(spec.volumes).flatMap((volume, index) => {
    const path = at.child('volumes').index(index);
    const { ephemeral } = volume;
    return [
      ...Object.keys(volumeTypes).flatMap((type) =>
        isObject(getOwn(volume, type)) ? [about(path.child(type), volumeTypes[type] ?? '')] : [],
      ),
      ...(isObject(ephemeral)
        ? claimWarnings(
            childOf(childOf(ephemeral, 'volumeClaimTemplate'), 'spec'),
            path.child('ephemeral', 'volumeClaimTemplate', 'spec'),
          )
        : []),
    ];
  });

function repeated(list: unknown, field: string, at: FieldPath): string[] {
  const isRepeated = repetitions();
  return objectsOf(list).flatMap((item, index) => {
    const value = getOwn(item, field) ?? '';
    if (!isRepeated(value)) return [];
    return [about(at.index(index).child(field), `duplicate ${field} ${JSON.stringify(value)}`)];
  });
}

const emptyNames = (list: unknown, at: FieldPath): string[] =>
  objectsOf(list).flatMap(({ name }, index) =>
    name ? [] : [about(at.index(index).child('name'), 'invalid empty name ""')],
  );

const containers = (spec: JsonObject, at: FieldPath): [JsonObject, FieldPath][] =>
  ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) =>
    objectsOf(getOwn(spec, list)).map((container, index): [JsonObject, FieldPath] => [
      container,
      at.child(list).index(index),
    ]),
  );

function containerWarnings(container: JsonObject, at: FieldPath): string[] {
  const resources = childOf(container, 'resources');
  return [
    ...sizes.flatMap((name) =>
      ['limits', 'requests'].flatMap((bound) =>
        fractional(getOwn(resources, bound), [name], at.child('resources', bound)),
      ),
    ),
    ...hiddenVariables(container, at.child('env')),
  ];
}

/** Variables of a container that are searched for repeated names. A container that fits into the store has fewer. */
export const maxSearchedVariables = 30_000;

function hiddenVariables(container: JsonObject, at: FieldPath): string[] {
  const isRepeated = repetitions();
  const warnings: string[] = [];
  const searched = objectsOf(container.env).slice(0, maxSearchedVariables);
  for (const [index, { name, value = '', valueFrom }] of searched.entries()) {
    if (!isRepeated(name)) continue;
    const reference = `$(${String(name)})`;
    const extends_ = valueFrom === undefined && value !== reference && String(value).includes(reference);
    const text = `hides previous definition of ${JSON.stringify(name)}, which may be dropped when using apply`;
    if (!extends_) warnings.push(about(at.index(index), text));
  }
  return warnings;
}

/** Ports of a pod that are compared with each other. A body can contain a hundred thousand, and all pairs would fill the memory. */
export const maxComparedPorts = 1_000;

/** Warnings about conflicting ports; a response has room for fewer. */
export const maxPortWarnings = 1_000;

interface Port {
  at: FieldPath;
  containerPort?: number;
  protocol?: string;
  hostIP?: string;
  hostPort?: number;
  name?: string;
}

function ports(spec: JsonObject, at: FieldPath): string[] {
  const all = containers(spec, at).flatMap(([container, path]) =>
    objectsOf(container.ports).map((port, index): Port => ({
      ...port,
      at: path.child('ports').index(index),
    })),
  );
  const named = new Map<string, FieldPath>();
  const names = all.flatMap(({ name, at: place }) => {
    const other = name ? named.get(name) : undefined;
    if (name && other === undefined) named.set(name, place);
    if (other === undefined) return [];
    const text = `duplicate port name ${JSON.stringify(name)} with ${other}, services and probes that select ports by name will use ${other}`;
    return [about(place, text)];
  });
  return [...clashes(all.slice(0, maxComparedPorts)), ...names];
}

/** Compares each port with the earlier ports of the same number and protocol. */
function clashes(all: readonly Port[]): string[] {
  const warnings: string[] = [];
  for (const [index, port] of all.entries()) {
    for (let before = 0; before < index && warnings.length < maxPortWarnings; before++) {
      const other = all[before]!;
      if (other.containerPort === port.containerPort && other.protocol === port.protocol)
        warnings.push(...clash(port, other));
    }
  }
  return warnings;
}

function clash(port: Port, other: Port): string[] {
  const [ip, otherIp] = [port.hostIP ?? '', other.hostIP ?? ''];
  const [host, otherHost] = [port.hostPort ?? 0, other.hostPort ?? 0];
  if (ip === otherIp && host === otherHost)
    return [about(port.at, `duplicate port definition with ${other.at}`)];
  if (host === 0 || otherHost === 0) return [about(port.at, `overlapping port definition with ${other.at}`)];
  const oneIsAny = (ip === '') !== (otherIp === '');
  return host === otherHost && oneIsAny
    ? [about(port.at, `dangerously ambiguous port definition with ${other.at}`)]
    : [];
}

const grace = ({ terminationGracePeriodSeconds: seconds }: JsonObject, at: FieldPath): string[] =>
  Number(seconds ?? 0) < 0
    ? [
        about(
          at.child('terminationGracePeriodSeconds'),
          'must be >= 0; negative values are invalid and will be treated as 1',
        ),
      ]
    : [];

const required = 'requiredDuringSchedulingIgnoredDuringExecution';
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';

const affinity = (spec: JsonObject, at: FieldPath): string[] =>
  ['podAffinity', 'podAntiAffinity'].flatMap((kind) => {
    const terms = childOf(spec.affinity, kind);
    const path = at.child('affinity', kind);
    return [
      ...objectsOf(terms[required]).flatMap((term, index) =>
        isObject(term.labelSelector)
          ? []
          : [about(path.child(required).index(index).child('labelSelector'), nullSelector)],
      ),
      ...objectsOf(terms[preferred]).flatMap((term, index) =>
        isObject(childOf(term, 'podAffinityTerm').labelSelector)
          ? []
          : [
              about(
                path.child(preferred).index(index).child('podAffinityTerm', 'labelSelector'),
                nullSelector,
              ),
            ],
      ),
    ];
  });

/** Warns about the name of an object whose pods get names from it. */
export const namesPods = onCreate(dnsLabelName('Pod names and hostnames'));

/** Warns about the pod template at a path if it may have changed. */
export const templateWarnings =
  (...path: string[]): Warnings =>
  (object, old) => {
    if (old !== undefined && old.metadata.generation === object.metadata.generation) return [];
    let holder = object as unknown as JsonObject;
    for (const name of path) holder = childOf(holder, name);
    return podWarnings(holder, root.child(...path));
  };
