import type { Buffer } from 'node:buffer';
import {
  badRequest,
  finishInSlices,
  hasManyParts,
  type KubeObject,
  notFound,
  type Passes,
} from '@annex/machinery';
import { headerText } from '@annex/auth';
import { mapMaybePromise } from '@annex/runtime';
import { slicedBodyBytes } from '../decoding/body-limits.ts';
import { pause } from '../large-objects.ts';
import { mediaType, patchMediaType } from '../decoding/media-type.ts';
import { readBody } from '@annex/http';
import { decodeObject, requireObjectType } from '../decoding/decode-object.ts';
import { type ResponseForms, asJson, type ResourceKind } from '@annex/kinds';
import { negotiate } from '../encoding/negotiation.ts';
import { writeQuery } from '../queries/write-query.ts';
import { sendLargeObject, sendObject } from '../encoding/send-object.ts';
import { admitUnstored, runMutatingPlugins, runValidatingPlugins } from '../write/admission.ts';
import { checkTarget } from '../write/check-target.ts';
import { type WriteContext, type WriteOperation, createWriteContext } from '../write/context.ts';
import { noteSent } from '../write/note-sent.ts';
import { shapeOf } from '../write/sent-fields.ts';
import { refuseStrict } from '../write/strict.ts';
import { wipeSystemFields } from '../write/wipe-system-fields.ts';
import type { RequestScope } from './request-scope.ts';

const optionsKinds = {
  create: 'CreateOptions',
  update: 'UpdateOptions',
  patch: 'PatchOptions',
  apply: 'PatchOptions',
} as const;

const untabled = new WeakMap<ResponseForms, ResponseForms>();

/** Reviews are not stored and have no Table form. */
function formsOf({ behavior: { objectForms }, storage }: ResourceKind): ResponseForms {
  if (storage !== undefined) return objectForms;
  let forms = untabled.get(objectForms);
  if (forms === undefined) untabled.set(objectForms, (forms = { ...objectForms, untabled: true }));
  return forms;
}

/** Reads the options and the body of a write. */
export function beginWrite(
  scope: RequestScope,
  operation: WriteOperation,
): WriteContext | Promise<WriteContext> {
  const { request, kind, objects, subresource } = scope;
  negotiate(request.req.headers.accept, formsOf(kind));
  if (operation === 'create') requireObjectType(mediaType(request));
  const agent = headerText(String(request.req.headers['user-agent'] ?? ''));
  const query = writeQuery(request.query, optionsKinds[operation], agent, operation === 'apply');
  const write = { request, kind, objects, operation, query, subresource };
  const patches = operation === 'patch' || operation === 'apply';
  const begin = (body: Buffer) => {
    if (patches) request.audit?.patched(body);
    return createWriteContext(write, body, patches ? patchMediaType(request) : mediaType(request));
  };
  return mapMaybePromise(readBody(request), begin);
}

/** POST to a collection. */
export function create(scope: RequestScope): Promise<void> | void {
  const { kind } = scope;
  return mapMaybePromise(beginWrite(scope, 'create'), (write) =>
    kind.strategy.respond === undefined ? scope.server.write(write) : respondToReview(scope, write),
  );
}

/** POST to a subresource. */
export async function createSubresource(scope: RequestScope): Promise<void> {
  const { request, kind, objects, subresource } = scope;
  if (subresource?.spec.create === undefined) throw badRequest('the subresource does not take POST');
  const write = await beginWrite(scope, 'create');
  const { object, strict } = await decodeObject(write.body, write.mediaType, write.endpoint);
  write.strict = strict;
  refuseStrict(write, object);
  subresource.spec.setDefaults?.(object);
  await noteSent(write, object);
  checkTarget(write, object);
  write.endpoint.schema.applyDefaults(asJson(object));
  await noteFields(scope, write, object);
  const admission = await runMutatingPlugins(scope, write, object);
  const { object: admitted = object } = admission;
  subresource.spec.checkSent?.(admitted, request);
  const readParent = () => objects.read(request.info.namespace, request.info.name);
  if (subresource.spec.echoes && (await readParent()) === undefined) throw notFound(kind, request.info.name);
  await runValidatingPlugins(scope, admission);
  const result = await subresource.spec.create(admitted, (await readParent())?.object, request);
  const as = negotiate(request.req.headers.accept, kind.behavior.objectForms);
  await sendObject(request, 201, kind, result, as);
}

/** Responds to a review, which is not stored. */
function respondToReview(scope: RequestScope, write: WriteContext): Promise<void> | void {
  const { kind } = write;
  return mapMaybePromise(decodeObject(write.body, write.mediaType, write.endpoint), ({ object, strict }) => {
    write.strict = strict;
    refuseStrict(write, object);
    const { schema } = kind;
    const isLarge = write.body.length >= slicedBodyBytes;
    const defaults = isLarge ? schema.defaultsInPasses?.(asJson(object)) : undefined;
    if (defaults !== undefined) return respondToLarge(scope, write, object, defaults);
    schema.applyDefaults(asJson(object));
    return respondTo(scope, write, object);
  });
}

async function respondToLarge(
  scope: RequestScope,
  write: WriteContext,
  object: KubeObject,
  defaults: Passes<void>,
): Promise<void> {
  await pause();
  await finishInSlices(defaults, pause);
  await pause();
  await respondTo(scope, write, object);
}

/** Responds to a review with its defaults. */
function respondTo(scope: RequestScope, write: WriteContext, object: KubeObject): Promise<void> | void {
  const { request, kind } = write;
  const noted = mapMaybePromise(noteSent(write, object), () => {
    wipeSystemFields(object);
    checkTarget(write, object);
    return noteFields(scope, write, object);
  });
  const admitted = mapMaybePromise(noted, () => admitUnstored(scope, write, object));
  const isLarge = write.body.length >= slicedBodyBytes;
  const respond = (review: KubeObject): ReturnType<NonNullable<typeof kind.strategy.respond>> | undefined =>
    kind.strategy.respond?.(review, request);
  const result = mapMaybePromise(admitted, (review) =>
    mapMaybePromise(isLarge ? pause() : undefined, () => respond(review)),
  );
  return mapMaybePromise(result, (shown) => {
    if (shown === undefined) throw new Error(`${kind.kind} is neither stored nor a review`);
    const as = negotiate(request.req.headers.accept, formsOf(kind));
    // The rules of a user are long, however short the request is.
    const send = isLarge || hasManyParts(shown) ? sendLargeObject : sendObject;
    return send(request, 201, kind, shown, as);
  });
}

/** Records the sender as the owner of all fields, except for those that every object of the type has. */
function noteFields(scope: RequestScope, write: WriteContext, object: KubeObject): Promise<void> | void {
  const { deps, sentFields } = scope.server;
  const isLarge = write.body.length >= slicedBodyBytes;
  const shape = isLarge ? undefined : shapeOf(object, write.query.fieldManager);
  if (sentFields.restore(shape, object, deps.clock.now())) return;
  return trackSent(scope, write, object).then(() => sentFields.save(shape, write.object));
}

function trackSent({ server }: RequestScope, write: WriteContext, object: KubeObject): Promise<void> {
  const { schema } = write.endpoint;
  const { apiVersion, kind } = object;
  write.live = { apiVersion, kind, metadata: {} } as KubeObject;
  schema.applyDefaults(asJson(write.live));
  write.object = object;
  return server.trackFields(write);
}
