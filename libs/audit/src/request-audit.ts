import type { IncomingMessage } from 'node:http';
import { StringDecoder } from 'node:string_decoder';
import { type Attributes, type UserInfo, userInfoJson } from '@annex/auth';
import {
  getOwn,
  isObject,
  type JsonObject,
  type KubeObject,
  parseJson,
  parseJsonInPasses,
  type Passes,
  setOwn,
  type Status,
  stringifyJson,
  stringifyJsonInPasses,
} from '@annex/machinery';
import type { Clock } from '@annex/runtime';
import { AuditEvent, type AuditSink } from './audit-event.ts';
import { type AuditDecision, type AuditLevel, auditLevels, type AuditStage } from './audit-policy.ts';
import { type AddressedRequest, sourceAddresses } from './source-addresses.ts';

/** The data of a request at its start. */
export interface AuditedRequest {
  req: AddressedRequest & Pick<IncomingMessage, 'method'>;
  requestUri: string;
  auditId: string;
  receivedAt: number;
}

/** The event of a request that the policy selects. Later stages add members. */
export class RequestAudit {
  readonly #decision: AuditDecision;
  readonly #sink: AuditSink;
  readonly #clock: Clock;
  readonly #begin: JsonObject;
  readonly #objectRef: JsonObject | undefined;
  readonly #received: string;
  readonly #addresses: readonly string[];
  readonly #annotations: Record<string, string> = {};
  readonly #last: Record<string, string> = {};
  #impersonated: JsonObject = {};
  #status: JsonObject | undefined;
  #requestObject: string | undefined;
  #responseObject: string | undefined;

  constructor(
    request: AuditedRequest,
    attributes: Attributes,
    decision: AuditDecision,
    { sink, clock }: { sink: AuditSink; clock: Clock },
  ) {
    this.#decision = decision;
    this.#sink = sink;
    this.#clock = clock;
    this.#received = microTime(request.receivedAt);
    this.#begin = beginOf(request, attributes, decision.level);
    this.#objectRef = attributes.resourceRequest ? objectRefOf(attributes) : undefined;
    this.#addresses = sourceAddresses(request.req);
  }

  /** Returns whether the policy selects at least this level. */
  includesLevel(level: AuditLevel): boolean {
    return auditLevels.indexOf(this.#decision.level) >= auditLevels.indexOf(level);
  }

  /** Adds an annotation. The first value of a key stays. */
  annotate(key: string, value: string): void {
    if (!Object.hasOwn(this.#annotations, key)) setOwn(this.#annotations, key, value);
  }

  /** Adds an annotation to the last event only. */
  annotateLast(key: string, value: string): void {
    setOwn(this.#last, key, value);
  }

  annotateAll(annotations: Readonly<Record<string, string>>): void {
    for (const [key, value] of Object.entries(annotations)) this.annotate(key, value);
  }

  impersonated(user: UserInfo, constraint: string | undefined): void {
    this.#impersonated = {
      impersonatedUser: userInfoJson(user) as JsonObject,
      ...(constraint === undefined
        ? {}
        : { authenticationMetadata: { impersonationConstraint: `impersonate:${constraint}` } }),
    };
  }

  /** Records the decoded and defaulted request object; `complete` is called if the level includes it. */
  sent(object: Pick<KubeObject, 'metadata'>, complete: () => object): void {
    this.#identify(object);
    if (this.includesLevel('Request')) this.#requestObject = this.#shown(complete());
  }

  /** The same for a large object, in passes. */
  *sentInPasses(object: Pick<KubeObject, 'metadata'>, complete: () => Passes<object>): Passes<void> {
    this.#identify(object);
    if (!this.includesLevel('Request')) return;
    this.#requestObject = yield* stringifyJsonInPasses(this.#visible(yield* complete()));
  }

  /** Adds what the metadata of the object that was sent identifies. */
  #identify({ metadata }: Pick<KubeObject, 'metadata'>): void {
    const { name, namespace, uid, resourceVersion } = metadata ?? {};
    const ref = this.#objectRef ?? {};
    for (const [key, value] of Object.entries({ namespace, name, uid, resourceVersion })) {
      if (value && getOwn(ref, key) === undefined) setOwn(ref, key, value);
    }
  }

  /** Records the patch of a request; invalid JSON is written as text. */
  patched(patch: Buffer): void {
    if (this.includesLevel('Request')) this.#requestObject = asJsonText(patch.toString());
  }

  /** Records the response: an object, or a Status, whose fields are part of every level. */
  recordResponse(object: object): void {
    this.#noteStatus(object);
    if (this.includesLevel('RequestResponse')) this.#responseObject = this.#shown(object);
  }

  /** The same for a response that may be large, in passes. */
  *recordResponseInPasses(object: object): Passes<void> {
    this.#noteStatus(object);
    if (!this.includesLevel('RequestResponse')) return;
    const shown = this.#visible(object);
    yield;
    this.#responseObject = yield* stringifyJsonInPasses(shown);
  }

  #noteStatus(object: object): void {
    if (!isStatus(object)) return;
    const { status, message, reason, details, code } = object;
    this.#status = stripped({ metadata: {}, status, message, reason, details, code });
  }

  /** Records the response as JSON, in passes. */
  *responseJson(pieces: readonly Buffer[]): Passes<void> {
    if (!this.includesLevel('RequestResponse')) return;
    const texts: string[] = [];
    const decoder = new StringDecoder();
    for (const [i, piece] of pieces.entries()) {
      texts.push(decoder.write(piece));
      if (i % piecesAtOnce === piecesAtOnce - 1 || piece.length > longPiece) yield;
    }
    const text = texts.join('').trimEnd();
    yield;
    this.#responseObject = this.#decision.omitManagedFields
      ? yield* stringifyJsonInPasses(this.#visible((yield* parseJsonInPasses(text)) as object))
      : text;
  }

  /** Records the status code, which may come after the object. */
  code(code: number): void {
    this.#status = { metadata: {}, ...this.#status, code };
  }

  get hasStatus(): boolean {
    return this.#status !== undefined;
  }

  closedEarly(): void {
    this.#status = { metadata: {}, status: 'Success', message: 'Connection closed early', code: 200 };
  }

  panicked(why: string): void {
    this.#status = {
      metadata: {},
      status: 'Failure',
      message: `APIServer panic'd: ${why}`,
      reason: 'InternalError',
      code: 500,
    };
  }

  /** Writes the event of a stage, unless the policy omits the stage. Returns false if the event is lost. */
  stage(stage: AuditStage): boolean | Promise<boolean> {
    if (this.#decision.omitStages.has(stage)) return true;
    const at = stage === 'RequestReceived' ? this.#received : microTime(this.#clock.now());
    return this.#sink.write(this.#event(stage, at));
  }

  #event(stage: AuditStage, stageTimestamp: string): AuditEvent {
    const { auditID, level, ...rest } = this.#begin;
    const { user, userAgent, ...request } = rest;
    const begin: JsonObject = {
      kind: 'Event',
      apiVersion: 'audit.k8s.io/v1',
      level: level as string,
      auditID: auditID as string,
      stage,
      ...request,
      user: user as JsonObject,
      ...this.#impersonated,
      ...(this.#addresses.length > 0 ? { sourceIPs: [...this.#addresses] } : {}),
      ...(userAgent ? { userAgent } : {}),
      ...(this.#objectRef ? { objectRef: { ...this.#objectRef } } : {}),
      ...(this.#status ? { responseStatus: this.#status } : {}),
    };
    const end: JsonObject = { requestReceivedTimestamp: this.#received, stageTimestamp };
    const annotations = { ...this.#annotations, ...(stage === 'ResponseComplete' ? this.#last : {}) };
    if (Object.keys(annotations).length > 0) end.annotations = annotations;
    return new AuditEvent(begin, end, {
      requestObject: this.#requestObject,
      responseObject: this.#responseObject,
    });
  }

  #shown(object: object): string {
    return stringifyJson(this.#visible(object));
  }

  #visible(object: object): object {
    return this.#decision.omitManagedFields ? withoutManagedFields(object) : object;
  }
}

/** How many pieces of a response are decoded at once, and the bytes of one that takes most of a millisecond. */
const piecesAtOnce = 100;
const longPiece = 64 * 1024;

function beginOf(
  { req, auditId, requestUri }: AuditedRequest,
  { user, verb }: Attributes,
  level: AuditLevel,
): JsonObject {
  return {
    level,
    auditID: auditId,
    requestURI: requestUri,
    verb,
    user: userInfoJson(user) as JsonObject,
    userAgent: shortAgent(String(req.headers['user-agent'] ?? '')),
  };
}

/** Characters of the user agent in an audit event. Source: kube-apiserver. */
export const maxAuditUserAgentLength = 1024;
const shortAgent = (agent: string): string =>
  agent.length > maxAuditUserAgentLength ? `${agent.slice(0, maxAuditUserAgentLength)}...TRUNCATED` : agent;

function objectRefOf(attributes: Attributes): JsonObject {
  const { resource, namespace, name, apiGroup, apiVersion, subresource } = attributes;
  return stripped({ resource, namespace, name, apiGroup, apiVersion, subresource });
}

const stripped = (fields: Record<string, unknown>): JsonObject =>
  Object.fromEntries(
    Object.entries(fields).filter(([, value]) => value !== undefined && value !== ''),
  ) as JsonObject;

const isStatus = (object: object): object is Status =>
  (object as Status).kind === 'Status' && (object as { apiVersion?: string }).apiVersion === 'v1';

function asJsonText(text: string): string {
  try {
    return stringifyJson(parseJson(text));
  } catch {
    return JSON.stringify(text);
  }
}

/** Returns a copy without the managedFields of the object, of list items, or of Table rows. */
function withoutManagedFields(value: object): object {
  const { metadata, items, rows, ...rest } = value as {
    metadata?: JsonObject;
    items?: object[];
    rows?: { object?: object }[];
  };
  if (!isObject(metadata)) return value;
  const { managedFields: _, ...kept } = metadata;
  const copy = Object.keys(value).map((key) => {
    if (key === 'metadata') return [key, kept];
    if (key === 'items' && Array.isArray(items)) return [key, items.map(withoutManagedFields)];
    if (key === 'rows' && Array.isArray(rows)) {
      return [
        key,
        rows.map((row) => (row.object ? { ...row, object: withoutManagedFields(row.object) } : row)),
      ];
    }
    return [key, getOwn(rest as Record<string, unknown>, key)];
  });
  return Object.fromEntries(copy) as object;
}

/** Formats a time like kube-apiserver's MicroTime. */
const microTime = (milliseconds: number): string =>
  new Date(milliseconds).toISOString().replace(/Z$/, '000Z');
