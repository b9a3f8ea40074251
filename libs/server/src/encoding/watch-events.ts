import { emptyObject, loadProtobuf, type ResourceKind } from '@annex/kinds';
import { Buffer } from 'node:buffer';
import {
  finish,
  finishInSlices,
  keptBytes,
  type KubeObject,
  type Passes,
  type Status,
  groupVersion,
  stringifyJson,
  stringifyJsonInPasses,
} from '@annex/machinery';
import type { CacheEvent, StoredObject } from '@annex/storage';
import { encodeLarge, isLarge, pause } from '../large-objects.ts';
import { partialMetadata } from './partial-metadata.ts';
import { type Encoding, type Representation } from './negotiation.ts';
import { type TableForm, tableOf, tableRow } from './table.ts';

export type WatchEventType = 'ADDED' | 'MODIFIED' | 'DELETED';

/** The encoding of the events of one watch. */
export interface EventForm extends TableForm {
  as: Representation['as'];
  stream: EventStream;
  /** The same text for watches whose events have the same bytes. */
  name: string;
}

/** Creates the form of the events of a watch. */
export function eventForm(form: Omit<EventForm, 'name'>): EventForm {
  const { kind, stream, as, version, include } = form;
  return { ...form, name: `${stream.encoding} ${kind.version} ${as}/${version} ${include}` };
}

/** The framing of consecutive events. */
export interface EventStream {
  encoding: Encoding;
  contentType: string;
  write(type: string, object: unknown): Buffer;
  /** The same, in passes if the object is large. */
  writeInPasses(type: string, object: unknown): Passes<Buffer>;
}

const jsonLines: EventStream = {
  encoding: 'application/json',
  contentType: 'application/json',
  write: (type, object) => keptBytes(`${stringifyJson({ type, object })}\n`),
  *writeInPasses(type, object) {
    return Buffer.from(`${yield* stringifyJsonInPasses({ type, object })}\n`);
  },
};

/**
 * Returns the framing of an encoding: one JSON document per line, or protobuf frames. Loads protobuf at its
 * first use.
 */
export async function eventStream(encoding: Encoding): Promise<EventStream> {
  if (encoding !== 'application/vnd.kubernetes.protobuf') return jsonLines;
  const { encodeProtobufInPasses, encodeWatchFrame } = await loadProtobuf();
  function* writeInPasses(type: string, object: unknown): Passes<Buffer> {
    const bytes = yield* encodeProtobufInPasses(object as Record<string, unknown>);
    if (bytes === undefined) throw new Error('an object without a protobuf form in a watch of protobuf');
    yield;
    return encodeWatchFrame(type, bytes);
  }
  return {
    encoding,
    contentType: `${encoding};stream=watch`,
    write: (type, object) => finish(writeInPasses(type, object)),
    writeInPasses,
  };
}

/** What distinguishes the bytes of an event that watches share. */
interface EventKey {
  name: string;
  type: WatchEventType;
  columns: boolean;
}

const encoded = new WeakMap<CacheEvent<StoredObject>, (EventKey & { bytes: Buffer })[]>();
/** Events with large objects, which are encoded in slices. */
const encodedLarge = new WeakMap<CacheEvent<StoredObject>, (EventKey & { bytes: Promise<Buffer> })[]>();

/** Returns the encoded bytes of an event. All watches of one form share them. */
export function encodedEvent(
  event: CacheEvent<StoredObject>,
  type: WatchEventType,
  object: KubeObject,
  form: EventForm,
  withColumns: boolean,
): Buffer {
  return shared(encoded, event, type, form, withColumns, () => encodeEvent(type, object, form, withColumns));
}

/** The same for an event with a large object. */
export function encodedLargeEvent(
  event: CacheEvent<StoredObject>,
  type: WatchEventType,
  object: KubeObject,
  form: EventForm,
  withColumns: boolean,
): Promise<Buffer> {
  return shared(encodedLarge, event, type, form, withColumns, () =>
    encodeLargeEvent(type, object, form, withColumns),
  );
}

function shared<Bytes>(
  all: WeakMap<CacheEvent<StoredObject>, (EventKey & { bytes: Bytes })[]>,
  event: CacheEvent<StoredObject>,
  type: WatchEventType,
  form: EventForm,
  withColumns: boolean,
  encode: () => Bytes,
): Bytes {
  let known = all.get(event);
  if (known === undefined) all.set(event, (known = []));
  const { name } = form;
  const columns = withColumns && form.as === 'Table';
  let found = known.find((other) => other.name === name && other.type === type && other.columns === columns);
  if (found === undefined) known.push((found = { name, type, columns, bytes: encode() }));
  return found.bytes;
}

/** Encodes an event. */
export function encodeEvent(
  type: WatchEventType | 'BOOKMARK',
  object: KubeObject,
  form: EventForm,
  withColumns: boolean,
): Buffer {
  return form.stream.write(type, shape(object, form, withColumns));
}

const encodeLargeEvent = (
  type: WatchEventType,
  object: KubeObject,
  form: EventForm,
  withColumns: boolean,
): Promise<Buffer> =>
  finishInSlices(form.stream.writeInPasses(type, shape(object, form, withColumns)), pause);

/** Encodes an initial event of a watch from the object's shared bytes; a large object in slices. */
export function encodeExisting(
  stored: StoredObject,
  object: KubeObject,
  form: EventForm,
  withColumns: boolean,
): Buffer | Promise<Buffer> {
  if (form.as === 'object' && form.stream === jsonLines && stored.object === object) {
    const shared = (): Buffer => Buffer.concat([addedHead, stored.json(), eventTail]);
    return encodeLarge(stored)?.then(shared) ?? shared();
  }
  return isLarge(stored)
    ? encodeLargeEvent('ADDED', object, form, withColumns)
    : encodeEvent('ADDED', object, form, withColumns);
}

const addedHead = Buffer.from('{"type":"ADDED","object":');
const eventTail = Buffer.from('}\n');

/** Encodes the last event of a watch that failed. */
export const encodeError = (status: Status, { stream }: EventForm): Buffer => stream.write('ERROR', status);

function shape(object: KubeObject, form: EventForm, withColumns: boolean): unknown {
  if (form.as === 'object') return object;
  if (form.as !== 'Table') return partialMetadata(object, form.version);
  const rows = [tableRow(form, object, Date.now())];
  return tableOf(form, rows, { resourceVersion: object.metadata.resourceVersion ?? '' }, withColumns);
}

/**
 * Creates the object of a bookmark. It contains only the revision up to which the watch is complete; for
 * kinds that have a Go type, also the zero values of that type.
 */
export function bookmark(kind: ResourceKind, revision: number, initialEventsEnd: boolean): KubeObject {
  const annotations = initialEventsEnd ? { annotations: { 'k8s.io/initial-events-end': 'true' } } : {};
  return {
    kind: kind.kind,
    apiVersion: groupVersion(kind),
    ...emptyOf(kind),
    metadata: { resourceVersion: String(revision), ...annotations },
  };
}

const emptyObjects = new WeakMap<ResourceKind, object>();

function emptyOf(kind: ResourceKind): object | undefined {
  if (!kind.behavior.typed) return undefined;
  const known = emptyObjects.get(kind) ?? emptyObject(groupVersion(kind), kind.kind) ?? kind.schema.empty;
  if (known !== undefined) emptyObjects.set(kind, known);
  return known;
}
