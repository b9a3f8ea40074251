import { Buffer } from 'node:buffer';
import {
  type JsonObject,
  type KubeObject,
  badRequest,
  expired,
  groupVersion,
  notAcceptable,
  parseJson,
  stringifyJson,
} from '@annex/machinery';
import { StoreError, StoredObject } from '@annex/storage';
import { decodeContinue, encodeContinue } from '../continue-token.ts';
import { type ListOptions, listOptions } from '../list-options.ts';
import { type Representation, encodeAs, negotiate } from '../negotiation.ts';
import { createPacer } from '../pacer.ts';
import { partialMetadata } from '../partial-metadata.ts';
import { sendBody } from '../respond.ts';
import { type Selection, selection } from '../selection.ts';
import { joinList } from '../send-object.ts';
import { storeStatus, tooLargeVersion } from '../store-status.ts';
import { includeObject, tableOf, tableRow } from '../table.ts';
import type { ResourceRequest } from './resource-request.ts';

/** A part of a collection as of one revision. */
interface Page {
  items: { stored: StoredObject; object: KubeObject }[];
  revision: number;
  continue: string;
  remaining: number | undefined;
}

/** GET of a collection. */
export async function list(request: ResourceRequest): Promise<void> {
  const { ctx, kind } = request;
  const as = negotiate(ctx.req.headers.accept, {
    custom: kind.custom,
    protobuf: !kind.custom,
  });
  if (as.as === 'PartialObjectMetadata') throw notASingle(kind);
  const options = listOptions(ctx.query, false);
  const chosen = selection(kind, options.labelSelector, options.fieldSelector);
  const page = await readPage(request, options, chosen);
  await sendPage(request, page, as);
}

// kube names its own Go type of the list.
const notASingle = (kind: ResourceRequest['kind']) =>
  notAcceptable(
    `you requested PartialObjectMetadata, but the requested object is a list (*${kind.custom ? 'unstructured.UnstructuredList' : `${kind.version}.${kind.listKind}`})`,
  );

/** Every object of a request's collection that its selectors choose, for deletecollection. */
export async function selected(request: ResourceRequest): Promise<KubeObject[]> {
  const options = listOptions(request.ctx.query, false);
  const chosen = selection(request.kind, options.labelSelector, options.fieldSelector);
  return (await readPage(request, options, chosen)).items.map(({ object }) => object);
}

async function readPage(request: ResourceRequest, options: ListOptions, chosen: Selection): Promise<Page> {
  const { objects, ctx } = request;
  const prefix = objects.prefixOf(ctx.info.namespace);
  if (options.continue !== '') {
    if (options.resourceVersion !== undefined && options.resourceVersion !== 0) {
      throw badRequest('specifying resource version is not allowed when using continue');
    }
    const token = decodeContinue(options.continue, prefix);
    return await readAt(request, options, chosen, token.revision, token.startKey);
  }
  const { cache } = objects;
  // "0" takes what there is; anything else must not be older than now.
  if (options.resourceVersion === 0) await cache.waitFor(0);
  else await cache.waitFor();
  const { resourceVersion } = options;
  if (resourceVersion !== undefined && resourceVersion > cache.revision) {
    throw tooLargeVersion(resourceVersion, cache.revision);
  }
  if (options.match === 'Exact' && resourceVersion !== undefined && resourceVersion < cache.revision) {
    return await readAt(request, options, chosen, resourceVersion, prefix);
  }
  const { entries, revision } = cache.list(prefix);
  return await choose(
    request,
    entries.map(({ value }) => value),
    revision,
    options,
    chosen,
    prefix,
  );
}

/** A page of history, from the store. */
async function readAt(
  request: ResourceRequest,
  options: ListOptions,
  chosen: Selection,
  revision: number,
  startKey: string,
): Promise<Page> {
  const { objects, server, ctx } = request;
  const prefix = objects.prefixOf(ctx.info.namespace);
  try {
    const { entries } = await server.deps.store.list(prefix, { revision, startKey });
    return await choose(
      request,
      entries.map((entry) => new StoredObject(entry)),
      revision,
      options,
      chosen,
      prefix,
    );
  } catch (error) {
    if (!(error instanceof StoreError)) throw error;
    if (error.code === 'compacted' && options.continue !== '') throw expiredToken();
    throw storeStatus(error, request.kind, '');
  }
}

const expiredToken = () =>
  expired(
    'The provided continue parameter is too old to display a consistent list result. You can start a new list without the continue parameter.',
  );

async function choose(
  request: ResourceRequest,
  stored: readonly StoredObject[],
  revision: number,
  options: ListOptions,
  chosen: Selection,
  prefix: string,
): Promise<Page> {
  const { objects } = request;
  const limit = options.limit || Infinity;
  const items: Page['items'] = [];
  const pace = createPacer();
  for (const [i, candidate] of stored.entries()) {
    const pause = pace();
    if (pause) await pause;
    if (items.length === limit) {
      const next = encodeContinue({ revision, startKey: keyOf(objects, candidate) }, prefix);
      return {
        items,
        revision,
        continue: next,
        remaining: chosen.everything ? stored.length - i : undefined,
      };
    }
    const shown = objects.show(candidate);
    const object = shown instanceof Promise ? await shown : shown;
    if (chosen.everything || chosen.matches(object)) items.push({ stored: candidate, object });
  }
  return { items, revision, continue: '', remaining: undefined };
}

const keyOf = (objects: ResourceRequest['objects'], { object }: StoredObject): string =>
  objects.key(object.metadata.namespace ?? '', object.metadata.name ?? '');

async function sendPage(request: ResourceRequest, page: Page, as: Representation): Promise<void> {
  const { ctx, kind } = request;
  const metadata = listMetadata(page, kind.custom && as.as === 'object');
  if (as.as === 'object' && as.encoding === 'application/json') {
    const [head, tail] = listFrame(kind, metadata);
    const items = await encodeItems(page.items);
    const body = kind.custom ? joinList(head, items, tail) : joinTyped(kind, head, items, tail);
    return sendBody(ctx, 200, 'application/json', body);
  }
  const { contentType, body } = await encodeAs(as.encoding, represent(request, page, as, metadata));
  sendBody(ctx, 200, contentType, body);
}

async function encodeItems(items: Page['items']): Promise<Buffer[]> {
  const encoded: Buffer[] = [];
  const pace = createPacer();
  for (const item of items) {
    const pause = pace();
    if (pause) await pause;
    encoded.push(itemJson(item));
  }
  return encoded;
}

/** What stands before and after the items of a list; the keys of custom lists are sorted. */
function listFrame(
  kind: ResourceRequest['kind'],
  metadata: Record<string, unknown>,
): [head: string, tail: string] {
  const type = { kind: kind.listKind, apiVersion: groupVersion(kind) };
  if (!kind.custom) return [`${stringifyJson({ ...type, metadata }).slice(0, -1)},"items":[`, ']}'];
  const head = `{"apiVersion":${JSON.stringify(type.apiVersion)},"items":[`;
  return [head, `],"kind":${JSON.stringify(type.kind)},"metadata":${stringifyJson(metadata)}}`];
}

/** kube's ListMeta: custom lists always have `continue`. */
function listMetadata(page: Page, always: boolean): Record<string, unknown> {
  return {
    resourceVersion: String(page.revision),
    ...(page.continue !== '' || always ? { continue: page.continue } : {}),
    ...(page.remaining === undefined ? {} : { remainingItemCount: page.remaining }),
  };
}

/** The JSON of an item, from the bytes that were encoded once where they are this version's. */
const itemJson = ({ stored, object }: Page['items'][number]): Buffer =>
  stored.object === object ? stored.json() : Buffer.from(stringifyJson(object));

/** Items of built-in lists do not repeat their type, which the stored form begins with. */
function joinTyped(
  kind: ResourceRequest['kind'],
  head: string,
  items: readonly Buffer[],
  tail: string,
): Buffer {
  const { kind: name } = kind;
  const type = Buffer.from(`{"kind":${JSON.stringify(name)},"apiVersion":"${groupVersion(kind)}",`);
  const untyped = items.map((json) => {
    if (json.subarray(0, type.length).equals(type)) return json.subarray(type.length);
    const object = parseJson(json.toString()) as JsonObject;
    return Buffer.from(stringifyJson({ ...object, kind: undefined, apiVersion: undefined })).subarray(1);
  });
  return items.length === 0 ? joinList(head, [], tail) : joinList(`${head}{`, untyped, tail, ',{');
}

function represent(
  request: ResourceRequest,
  page: Page,
  as: Representation,
  metadata: Record<string, unknown>,
) {
  const { kind, ctx } = request;
  if (as.as === 'Table') {
    const form = { kind, include: includeObject(ctx.query), version: as.metaVersion };
    return tableOf(
      form,
      page.items.map(({ object }) => tableRow(form, object, ctx.receivedAt)),
      metadata,
    );
  }
  if (as.as === 'object') {
    const items = page.items.map(({ object }) =>
      kind.custom ? object : { ...object, kind: undefined, apiVersion: undefined },
    );
    return { kind: kind.listKind, apiVersion: groupVersion(kind), metadata, items };
  }
  return {
    kind: 'PartialObjectMetadataList',
    apiVersion: `meta.k8s.io/${as.metaVersion}`,
    metadata,
    items: page.items.map(({ object }) => partialMetadata(object, as.metaVersion)),
  };
}
