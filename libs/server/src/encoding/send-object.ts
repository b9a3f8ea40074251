import { Buffer } from 'node:buffer';
import { finishInSlices, type KubeObject, notAcceptable, unclassified } from '@annex/machinery';
import type { RequestContext, ResourceKind } from '@annex/kinds';
import { type Representation, encodeAs, encodeJson } from './negotiation.ts';
import { goTypeOf } from './go-type.ts';
import { partialMetadata } from './partial-metadata.ts';
import { isPrettyRequested } from './pretty.ts';
import { pause } from '../large-objects.ts';
import { sendBody, sendPieces } from '../respond.ts';
import { scaleColumns } from './scale-columns.ts';
import { includeObject, tableOf, tableRow } from './table.ts';

const json = 'application/json';
const longBytes = 128 * 1024;

/** Sends one object in the negotiated form. `line` is its JSON, if the caller has it cached. */
export function sendObject(
  request: RequestContext,
  code: number,
  kind: ResourceKind,
  object: KubeObject,
  as: Representation,
  line?: () => Buffer,
): Promise<void> | void {
  const shown = represent(request, kind, object, as);
  request.audit?.recordResponse(shown);
  if (as.encoding !== json) return sendEncoded(request, code, shown, as);
  const isKept = line !== undefined && shown === object;
  return sendWhole(request, code, json, isKept ? line() : encodeJson(shown));
}

/** Sends an object that can be large: it is encoded in slices. */
export async function sendLargeObject(
  request: RequestContext,
  code: number,
  kind: ResourceKind,
  object: KubeObject,
  as: Representation,
): Promise<void> {
  await pause();
  const shown = represent(request, kind, object, as);
  if (request.audit !== undefined) await finishInSlices(request.audit.recordResponseInPasses(shown), pause);
  await sendEncoded(request, code, shown, as);
}

async function sendEncoded(
  request: RequestContext,
  code: number,
  shown: Record<string, unknown>,
  { encoding }: Representation,
): Promise<void> {
  const { contentType, body } = await encodeAs(encoding, shown);
  await sendWhole(request, code, contentType, body);
}

function sendWhole(
  request: RequestContext,
  code: number,
  contentType: string,
  body: Buffer | string,
): Promise<void> | void {
  // Large objects are sent in the way of lists.
  return body.length > longBytes && !isPrettyRequested(request)
    ? sendPieces(request, code, {
        contentType,
        pieces: [typeof body === 'string' ? Buffer.from(body) : body],
      })
    : sendBody(request, code, contentType, body);
}

function represent(
  request: RequestContext,
  kind: ResourceKind,
  object: KubeObject,
  as: Representation,
): Record<string, unknown> {
  if (as.as === 'PartialObjectMetadataList' && object.kind !== 'Status') throw notAList(kind, object);
  const columns = columnsOf(kind, object);
  const isPartial = as.as === 'PartialObjectMetadata';
  if (isPartial && kind.storage === undefined) return partialMetadata(object, as.metaVersion);
  if (as.as === 'object' || columns === undefined) return object;
  if (isPartial) return partialMetadata(object, as.metaVersion);
  const { version, rowConditions } = kind;
  const form = {
    kind: { columns, version, ...(rowConditions ? { rowConditions } : {}) },
    include: includeObject(request.query),
    version: as.metaVersion,
  };
  const rows = [tableRow(form, object, request.receivedAt)];
  // A new object of a dry run has no version.
  const { resourceVersion } = object.metadata;
  return tableOf(form, rows, resourceVersion ? { resourceVersion } : {});
}

// In Go, the type of custom resources can also be a list.
const notAList = (kind: ResourceKind, { kind: name = kind.kind }: KubeObject) =>
  !kind.behavior.typed && name === kind.kind
    ? unclassified('content is not a list')
    : notAcceptable(
        `you requested PartialObjectMetadataList, but the requested object is not a list (${goTypeOf(kind, name)})`,
      );

/** Returns the columns of an object; `undefined` for reviews and subresources that have no table form. */
function columnsOf(kind: ResourceKind, object: KubeObject): ResourceKind['columns'] | undefined {
  if (kind.storage === undefined) return undefined;
  if (object.kind === kind.kind) return kind.columns;
  return object.kind === 'Scale' ? scaleColumns(!kind.behavior.typed) : undefined;
}
