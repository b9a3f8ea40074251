import { asJson, builtinKinds, emptyObject, loadProtobuf } from '@annex/kinds';
import {
  groupVersion,
  isObject,
  type JsonObject,
  type JsonValue,
  type KubeObject,
  lazily,
  parseJson,
} from '@annex/machinery';
import { encodeStored } from '@annex/server';
import { type Entry, type Store, transformedStore } from '@annex/storage';
import { crdOfStored } from './stored-crd.ts';

const envelope = Buffer.from('k8s\0');
const crdPrefix = '/registry/apiextensions.k8s.io/customresourcedefinitions/';
const betaCrd = Buffer.from('"apiVersion":"apiextensions.k8s.io/v1beta1"');

/** Versions that kube-apiserver stores objects in but does not serve: the fields are those of the served version. */
const storedVersions = new Map([['admissionregistration.k8s.io/v1beta1', 'admissionregistration.k8s.io/v1']]);

/**
 * Returns a store that also reads what kube-apiserver wrote: objects in protobuf, and CustomResourceDefinitions in v1beta1. It
 * writes JSON, which kube-apiserver reads. An entry that cannot be decoded is `unreadable`.
 */
export async function readingKubeValues(store: Store): Promise<Store> {
  const { decodeEnvelope, readEnvelope } = await loadProtobuf();
  const decode = (value: Buffer): Buffer => {
    const { apiVersion, kind, raw } = readEnvelope(value);
    const object = decodeEnvelope({ apiVersion: storedVersions.get(apiVersion) ?? apiVersion, kind, raw });
    if (object === undefined) throw new SyntaxError(`${kind} in ${apiVersion} is not a known kind`);
    return encodeStored(withZeros(object));
  };
  const read = (entry: Entry): Entry => {
    const value = Buffer.from(entry.value.buffer, entry.value.byteOffset, entry.value.byteLength);
    const isProtobuf = value.subarray(0, envelope.length).equals(envelope);
    if (!isProtobuf && !(entry.key.startsWith(crdPrefix) && value.includes(betaCrd))) return entry;
    try {
      return { ...entry, value: isProtobuf ? decode(value) : decodeCrd(value) };
    } catch (error) {
      return { ...entry, value: Buffer.alloc(0), unreadable: (error as Error).message };
    }
  };
  return transformedStore(store, { capabilities: store.capabilities, read });
}

const decodeCrd = (value: Buffer): Buffer =>
  encodeStored(crdOfStored(parseJson(value.toString()) as unknown as KubeObject));

/** The schemas of the built-in kinds, by `group/version/kind`. */
const schemas = lazily(
  () => new Map(builtinKinds().map((kind) => [`${groupVersion(kind)}/${kind.kind}`, kind.schema])),
);

/** Adds the zero values that the JSON of Go contains and protobuf does not. */
function withZeros(object: KubeObject): KubeObject {
  const { apiVersion = '', kind = '' } = object;
  const whole = { ...emptyObject(apiVersion, kind), ...object };
  schemas().get(`${apiVersion}/${kind}`)?.applyDefaults(asJson(whole));
  defaultsOfReads.get(`${apiVersion}/${kind}`)?.(whole);
  return whole;
}

/** Defaults that kube-apiserver does not store: it sets them whenever it reads an object. */
const defaultsOfReads = new Map<string, (object: KubeObject) => void>([
  [
    'v1/PersistentVolumeClaim',
    (claim) => void (claim.status = { phase: 'Pending', ...asObject(claim.status) }),
  ],
  [
    'batch/v1/Job',
    ({ metadata, spec }) => {
      const { labels } = asObject(asObject(asObject(spec).template).metadata);
      if (metadata.labels === undefined && isObject(labels))
        metadata.labels = labels as Record<string, string>;
    },
  ],
]);

const asObject = (value: unknown): JsonObject => (isObject(value as JsonValue) ? (value as JsonObject) : {});
