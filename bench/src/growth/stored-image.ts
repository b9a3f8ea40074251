import { createWriteStream } from 'node:fs';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

export interface StoredValue {
  key: string;
  value: object;
  /** Unix time in seconds. */
  expiresAt?: number;
}

export const uid = (kind: number, i: number): string =>
  `00000000-0000-4000-800${kind}-${String(i).padStart(12, '0')}`;

export const namePrefix = 'c-';

/** Returns the name of an object: names have one length, so that their order is that of their numbers. */
export const nameOf = (i: number): string => `${namePrefix}${String(i).padStart(7, '0')}`;

/** The number of objects with the same label. */
export const labelGroups = 1000;

const namespace = (name: string): StoredValue => ({
  key: `/registry/namespaces/${name}`,
  value: {
    kind: 'Namespace',
    apiVersion: 'v1',
    metadata: { name, uid: uid(1, 0), creationTimestamp: '2026-11-26T12:00:00Z' },
    spec: { finalizers: ['kubernetes'] },
    status: { phase: 'Active' },
  },
});

const ownerOf = { apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: uid(2, 0) };

function configMap(space: string, name: string, id: string, more: object, text: number): StoredValue {
  return {
    key: `/registry/configmaps/${space}/${name}`,
    value: {
      kind: 'ConfigMap',
      apiVersion: 'v1',
      metadata: { name, namespace: space, uid: id, creationTimestamp: '2026-11-26T12:00:00Z', ...more },
      data: { a: 'x'.repeat(text) },
    },
  };
}

/** The objects of a store. */
export interface ImageSize {
  /** ConfigMaps in the namespace `default`. */
  objects: number;
  /** Characters of each of them. */
  text: number;
  /** ConfigMaps that the ConfigMap `owner` of the namespace `owned` owns. */
  dependents: number;
  /** ConfigMaps in the namespace `full`. */
  inNamespace: number;
  /** Further values. */
  further?: Iterable<StoredValue>;
}

function* valuesOf({
  objects,
  text,
  dependents,
  inNamespace,
  further = [],
}: ImageSize): Generator<StoredValue> {
  yield* ['default', 'full', 'owned'].map(namespace);
  yield configMap('owned', 'owner', ownerOf.uid, {}, 10);
  for (let i = 0; i < objects; i++) {
    yield configMap('default', nameOf(i), uid(3, i), { labels: { group: String(i % labelGroups) } }, text);
  }
  for (let i = 0; i < inNamespace; i++) yield configMap('full', nameOf(i), uid(4, i), {}, 300);
  for (let i = 0; i < dependents; i++) {
    yield configMap('owned', nameOf(i), uid(5, i), { ownerReferences: [ownerOf] }, 300);
  }
  yield* further;
}

/** The revision of an image, which is above that of each of its values. */
const maxValues = 10_000_000;

function* linesOf(size: ImageSize): Generator<string> {
  const header = { annexSnapshot: 1, annex: '0.1.0', takenAt: '2026-11-26T12:00:00Z' };
  yield `${JSON.stringify({ ...header, revision: maxValues })}\n`;
  let revision = 1;
  for (const { key, value, ...expiry } of valuesOf(size)) {
    revision++;
    const revisions = { createRevision: revision, modRevision: revision, version: 1 };
    yield `${JSON.stringify({ key, ...revisions, ...expiry, value: JSON.stringify(value) })}\n`;
  }
  yield `${JSON.stringify({ end: revision - 1 })}\n`;
}

/** Writes a snapshot with so many objects, which `annex restore` reads: faster than a million requests. */
export const writeImage = (file: string, size: ImageSize): Promise<void> =>
  pipeline(Readable.from(linesOf(size)), createGzip({ level: 1 }), createWriteStream(file));
