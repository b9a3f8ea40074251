import { definitionOf } from '../../definition.ts';
import { nameOf, type StoredValue, uid } from '../../growth/stored-image.ts';
import { widgetSchema } from '../../objects.ts';

const created = '2026-11-26T12:00:00Z';

/** Parts of a kind's objects: the resource in its key, its type, and what else its objects have. */
const kinds: readonly [resource: string, apiVersion: string, kind: string, parts: object][] = [
  ['configmaps', 'v1', 'ConfigMap', { data: { a: 'x'.repeat(300) } }],
  ['secrets', 'v1', 'Secret', { type: 'Opaque', data: { a: 'eHh4' } }],
  ['serviceaccounts', 'v1', 'ServiceAccount', {}],
  ['roles', 'rbac.authorization.k8s.io/v1', 'Role', { rules: [] }],
  ['leases', 'coordination.k8s.io/v1', 'Lease', { spec: { holderIdentity: 'a' } }],
];

/** So many objects of several kinds in a namespace, which they follow. */
export function* mixedObjects(namespace: string, count: number): Generator<StoredValue> {
  yield {
    key: `/registry/namespaces/${namespace}`,
    value: {
      kind: 'Namespace',
      apiVersion: 'v1',
      metadata: { name: namespace, uid: uid(6, 0), creationTimestamp: created },
      spec: { finalizers: ['kubernetes'] },
      status: { phase: 'Active' },
    },
  };
  for (let i = 0; i < count; i++) {
    const [resource, apiVersion, kind, parts] = kinds[i % kinds.length] as (typeof kinds)[number];
    const metadata = { name: nameOf(i), namespace, uid: uid(7, i), creationTimestamp: created };
    yield {
      key: `/registry/${resource}/${namespace}/${nameOf(i)}`,
      value: { kind, apiVersion, metadata, ...parts },
    };
  }
}

/** So many events that expire at a time, in seconds. */
export function* events(count: number, expiresAt: number): Generator<StoredValue> {
  for (let i = 0; i < count; i++) {
    const name = nameOf(i);
    yield {
      key: `/registry/events/default/${name}`,
      expiresAt,
      value: {
        kind: 'Event',
        apiVersion: 'v1',
        metadata: { name, namespace: 'default', uid: uid(8, i), creationTimestamp: created },
        involvedObject: { kind: 'Pod', namespace: 'default', name },
        reason: 'Happened',
        message: 'x'.repeat(200),
        type: 'Normal',
        count: 1,
        firstTimestamp: created,
        lastTimestamp: created,
        source: { component: 'bench' },
      },
    };
  }
}

/** The group of a definition: a hundred definitions share one. */
export const groupOf = (i: number): string => `g${Math.floor(i / 100)}.growth.annex.example`;

/** Returns a definition by its number. */
export const numbered = (i: number) =>
  definitionOf({ group: groupOf(i), plural: `kind${i}s`, schema: widgetSchema });

const condition = (type: string, reason: string) => ({
  type,
  status: 'True',
  reason,
  message: 'x',
  lastTransitionTime: created,
});

/** So many definitions that are served. */
export function* definitions(count: number): Generator<StoredValue> {
  for (let i = 0; i < count; i++) {
    const { metadata, ...definition } = numbered(i);
    yield {
      key: `/registry/apiextensions.k8s.io/customresourcedefinitions/${metadata.name}`,
      value: {
        ...definition,
        spec: { ...definition.spec, conversion: { strategy: 'None' } },
        metadata: { ...metadata, uid: uid(9, i), creationTimestamp: created, generation: 1 },
        status: {
          conditions: [
            condition('NamesAccepted', 'NoConflicts'),
            condition('Established', 'InitialNamesAccepted'),
          ],
          acceptedNames: definition.spec.names,
          storedVersions: ['v1'],
        },
      },
    };
  }
}

/** Objects of the first definition, as they are stored. */
export function* widgets(count: number): Generator<StoredValue> {
  const { spec } = numbered(0);
  for (let i = 0; i < count; i++) {
    yield {
      key: `/registry/${spec.group}/${spec.names.plural}/default/${nameOf(i)}`,
      value: {
        apiVersion: `${spec.group}/v1`,
        kind: spec.names.kind,
        metadata: {
          name: nameOf(i),
          namespace: 'default',
          uid: uid(7, i),
          creationTimestamp: created,
          generation: 1,
        },
        spec: { size: i, colour: 'red', note: 'x'.repeat(300) },
      },
    };
  }
}
