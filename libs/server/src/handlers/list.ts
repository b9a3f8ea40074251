import { goTypeOf } from '../encoding/go-type.ts';
import { Buffer } from 'node:buffer';
import {
  finishInSlices,
  type KubeObject,
  groupVersion,
  notAcceptable,
  type Passes,
  stringifyJson,
} from '@annex/machinery';
import { type ListFrame, type ListValue, encodeList, framed } from '../encoding/list-body.ts';
import { type Representation, encodeAs, negotiate } from '../encoding/negotiation.ts';
import { encodeLarge, isLarge, pause } from '../large-objects.ts';
import { StoredObject } from '@annex/storage';
import { partialMetadata } from '../encoding/partial-metadata.ts';
import { isPrettyRequested } from '../encoding/pretty.ts';
import type { ResourceKind } from '@annex/kinds';
import { sendBody, sendPieces } from '../respond.ts';
import { collectionRequest } from '../queries/selection.ts';
import { hasDefaultColumns, includeObject, tableOf, tableRow } from '../encoding/table.ts';
import { type Page, type PageItem, readPage } from './read-page.ts';
import type { RequestScope } from './request-scope.ts';

/** GET of a collection. */
export async function list(scope: RequestScope): Promise<void> {
  const { request, kind } = scope;
  const as = negotiate(request.req.headers.accept, kind.behavior.listForms);
  const requested = collectionRequest(kind, request.query, { watch: false, name: request.info.name });
  const page = await readPage(scope, requested);
  await sendPage(scope, page, as);
}

const notASingle = (kind: ResourceKind) =>
  notAcceptable(
    `you requested PartialObjectMetadata, but the requested object is a list (${goTypeOf(kind, kind.listKind, true)})`,
  );

/** Sends a page of a collection as a list, a Table or PartialObjectMetadataList. */
export async function sendPage(scope: RequestScope, page: Page, as: Representation): Promise<void> {
  const { request, kind } = scope;
  if (as.as === 'PartialObjectMetadata') throw notASingle(kind);
  const metadata = listMetadata(page, kind.behavior.sorted && as.as === 'object');
  const pretty = isPrettyRequested(request);
  if (as.as === 'object' && as.encoding === 'application/json' && !pretty) {
    const frame = kind.behavior.sorted
      ? sortedFrame(kind, metadata)
      : typedFrame(kind, metadata, page.items.length > 0);
    const pieces = await framed(frame, page.items);
    if (request.audit !== undefined) await finishInSlices(request.audit.responseJson(pieces), pause);
    return await sendPieces(request, 200, { contentType: 'application/json', pieces });
  }
  const list = represent(scope, page, as, metadata);
  if (request.audit?.includesLevel('RequestResponse')) {
    const whole = await finishInSlices(wholeListInPasses(list), pause);
    await finishInSlices(request.audit.recordResponseInPasses(whole), pause);
  }
  // In Go this list is a nil slice if no item was appended.
  if (page.items.length === 0 && as.as === 'PartialObjectMetadataList') {
    const { contentType, body } = await encodeAs(as.encoding, { ...list.members, items: null });
    return sendBody(request, 200, contentType, body);
  }
  await sendPieces(request, 200, await encodeList(as.encoding, pretty, list));
}

// In Go the list is a nil slice if no item was appended.
function* wholeListInPasses({ members, name, items }: ListValue): Passes<object> {
  const all: unknown[] = [];
  for (const item of items) {
    all.push(item);
    if (all.length % completedAtOnce === 0) yield;
  }
  const none = members.kind === 'PartialObjectMetadataList' && all.length === 0;
  return { ...members, [name]: none ? null : all };
}

/** How many items of a list are completed for the audit in one pass. */
const completedAtOnce = 20;

/** Returns the piece of an item; that of a large one follows after its JSON is encoded in slices. */
const paced =
  (pieceOf: (item: PageItem) => Buffer | string) =>
  (item: PageItem): Buffer | string | Promise<Buffer | string> =>
    item instanceof StoredObject && isLarge(item) ? afterEncoding(item, pieceOf) : pieceOf(item);

async function afterEncoding(item: StoredObject, pieceOf: (item: PageItem) => Buffer | string) {
  await encodeLarge(item);
  return pieceOf(item);
}

/** The keys of lists of custom resources are sorted. */
function sortedFrame(kind: ResourceKind, metadata: Record<string, unknown>): ListFrame<PageItem> {
  const [apiVersion, name] = [groupVersion(kind), kind.listKind].map((text) => JSON.stringify(text));
  const tail = `],"kind":${name},"metadata":${stringifyJson(metadata)}}\n`;
  return {
    head: `{"apiVersion":${apiVersion},"items":[`,
    between: ',',
    tail,
    encode: paced((item) => item.json()),
  };
}

/**
 * Items of built-in lists omit their type, which comes first in the stored form. They share the remaining
 * bytes.
 */
function typedFrame(
  kind: ResourceKind,
  metadata: Record<string, unknown>,
  hasItems: boolean,
): ListFrame<PageItem> {
  const frame = stringifyJson({ kind: kind.listKind, apiVersion: groupVersion(kind), metadata });
  const type = Buffer.from(`{"kind":${JSON.stringify(kind.kind)},"apiVersion":"${groupVersion(kind)}",`);
  const encode = paced((item) => {
    const json = item.json();
    if (json.subarray(0, type.length).equals(type)) return json.subarray(type.length);
    return stringifyJson(untyped(item.object)).slice(1);
  });
  return {
    head: `${frame.slice(0, -1)},"items":[${hasItems ? '{' : ''}`,
    between: ',{',
    tail: ']}\n',
    encode,
  };
}

const untyped = (object: KubeObject): KubeObject => ({ ...object, kind: undefined, apiVersion: undefined });

/** Returns ListMeta; lists of custom resources always have `continue`. */
function listMetadata(page: Page, always: boolean): Record<string, unknown> {
  return {
    resourceVersion: String(page.revision),
    ...(page.continue !== '' || always ? { continue: page.continue } : {}),
    ...(page.remaining === undefined ? {} : { remainingItemCount: page.remaining }),
  };
}

function represent(
  { kind, request }: RequestScope,
  page: Page,
  as: Representation,
  metadata: Record<string, unknown>,
): ListValue {
  const items = mapped(page.items);
  if (as.as === 'Table') {
    const form = { kind, include: includeObject(request.query), version: as.metaVersion };
    const rows = mapped(inRowOrder(kind, page.items))(({ object }) =>
      tableRow(form, object, request.receivedAt),
    );
    const nullIfEmpty = hasDefaultColumns(kind);
    return { members: tableOf(form, [], metadata), name: 'rows', items: rows, nullIfEmpty };
  }
  if (as.as === 'object')
    return listValue(
      kind,
      metadata,
      items(({ object }) => object),
    );
  const type = { kind: 'PartialObjectMetadataList', apiVersion: `meta.k8s.io/${as.metaVersion}` };
  const partial = items(({ object }) => partialMetadata(object, as.metaVersion));
  return { members: { ...type, metadata }, name: 'items', items: partial };
}

/** Returns the items of a page in the order of the rows of their Table. */
function inRowOrder<T extends { object: KubeObject }>(
  { rowOrder }: ResourceKind,
  items: Iterable<T>,
): Iterable<T> {
  return rowOrder === undefined ? items : [...items].sort((a, b) => rowOrder(a.object, b.object));
}

/**
 * Returns the list of these objects in the version of their kind. Items of built-in kinds omit their type;
 * lists of custom resources have sorted members.
 */
function listValue(
  kind: ResourceKind,
  metadata: Record<string, unknown>,
  objects: Iterable<KubeObject>,
): ListValue {
  const [apiVersion, name] = [groupVersion(kind), kind.listKind];
  if (kind.behavior.sorted) {
    return { members: { apiVersion, items: [], kind: name, metadata }, name: 'items', items: objects };
  }
  return { members: { kind: name, apiVersion, metadata }, name: 'items', items: mapped(objects)(untyped) };
}

/** Items are converted one at a time, when they are encoded. */
const mapped =
  <T>(items: Iterable<T>) =>
  <U>(show: (item: T) => U): Iterable<U> => ({
    *[Symbol.iterator]() {
      for (const item of items) yield show(item);
    },
  });
