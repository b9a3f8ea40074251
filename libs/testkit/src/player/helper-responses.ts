import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { copy, isObject } from './paths.ts';
import { readJson } from './scalars.ts';

/** A helper server of a recording; the keys are those of the recordings. */
export interface HelperSpec {
  kind: 'conversion' | 'admission' | 'static' | 'extension';
  behaviour?: string;
  dnsNames?: string[];
  message?: string;
  seconds?: number;
  status?: number;
  headers?: Record<string, string>;
  body?: unknown;
  group?: string;
  version?: string;
  resources?: unknown[];
  routes?: {
    path: string;
    method?: string;
    query?: string;
    status?: number;
    headers?: Record<string, string>;
    body?: unknown;
    stream?: unknown[];
  }[];
}

/** The response of a helper: JSON, raw bytes, or several values that are sent one by one. */
export interface HelperResponse {
  status: number;
  headers?: Record<string, string>;
  body?: unknown;
  text?: string;
  stream?: unknown[];
  /** Seconds before the response. */
  delay?: number;
}

/** A request to a helper. */
export interface HelperRequest {
  message: IncomingMessage;
  body: string;
  /** The received reviews. */
  calls: unknown[];
}

type Json = Record<string, unknown>;

/** Returns the response of a helper to a request. */
export function reply(spec: HelperSpec, request: HelperRequest): HelperResponse {
  switch (spec.kind) {
    case 'conversion':
      return convert(spec, request);
    case 'admission':
      return admit(spec, request);
    case 'static':
      return { status: spec.status ?? 200, headers: spec.headers ?? {}, body: spec.body ?? {} };
    case 'extension':
      return extend(spec, request);
  }
}

const failing: HelperResponse = { status: 500, body: { oops: true } };

function delayOf(spec: HelperSpec): { delay?: number } {
  return spec.behaviour === 'slow' ? { delay: Number(spec.seconds ?? 35) } : {};
}

function convert(spec: HelperSpec, { body, calls }: HelperRequest): HelperResponse {
  const review = readJson(body) as { apiVersion: string; kind: string; request: Json };
  calls.push(review);
  if (spec.behaviour === 'http500') return failing;
  if (spec.behaviour === 'badjson') return { status: 200, text: 'this is not json' };
  const { uid, desiredAPIVersion, objects } = review.request as {
    uid: string;
    desiredAPIVersion: string;
    objects: Json[];
  };
  const version = spec.behaviour === 'wrongversion' ? objects[0]?.apiVersion : desiredAPIVersion;
  const convertedObjects = objects.map((object) => ({
    ...convertObject(copy(object), spec.behaviour, desiredAPIVersion.split('/').at(-1) ?? ''),
    apiVersion: version,
  }));
  if (spec.behaviour === 'missing') convertedObjects.pop();
  const response = conversionResponse(spec, uid, convertedObjects);
  const { apiVersion, kind } = review;
  return { status: 200, body: { apiVersion, kind, response }, ...delayOf(spec) };
}

function conversionResponse(spec: HelperSpec, uid: string, convertedObjects: Json[]): Json {
  const message = spec.message ?? 'hostPort could not be parsed into a separate host and port';
  const success = { convertedObjects, result: { status: 'Success' } };
  switch (spec.behaviour) {
    case 'fail':
      return { uid, result: { status: 'Failed', message } };
    case 'nouid':
      return success;
    case 'wronguid':
      return { uid: '00000000-0000-0000-0000-000000000000', ...success };
    default:
      return { uid, ...success };
  }
}

function convertObject(object: Json, behaviour: string | undefined, version: string): Json {
  const metadata = object.metadata as Record<string, Json | string>;
  if (behaviour === 'hostport') splitHostPort(object, version);
  if (behaviour === 'metadata') metadata.name = `changed-${String(metadata.name)}`;
  if (behaviour === 'labels') {
    for (const field of ['labels', 'annotations']) {
      metadata[field] = { ...(metadata[field] as Json | undefined), converted: version };
    }
  }
  return object;
}

function splitHostPort(object: Json, version: string): void {
  if ('hostPort' in object && version !== 'v1beta1') {
    [object.host, object.port] = String(object.hostPort).split(':');
    delete object.hostPort;
  } else if ('host' in object && version === 'v1beta1') {
    object.hostPort = `${String(object.host)}:${String(object.port)}`;
    delete object.host;
    delete object.port;
  }
}

function admit(spec: HelperSpec, { body, calls }: HelperRequest): HelperResponse {
  const review = readJson(body) as { apiVersion: string; kind: string; request: { uid: string } };
  calls.push(review);
  const { behaviour = 'allow' } = spec;
  if (behaviour === 'http500') return failing;
  const response: Json = { uid: review.request.uid, allowed: behaviour !== 'deny' };
  if (behaviour === 'deny') response.status = { code: 403, message: spec.message ?? 'denied by test' };
  if (behaviour === 'warn') response.warnings = ['careful now'];
  if (behaviour === 'patch') {
    const patch = JSON.stringify([{ op: 'add', path: '/metadata/labels', value: { patched: 'true' } }]);
    Object.assign(response, { patchType: 'JSONPatch', patch: Buffer.from(patch).toString('base64') });
  }
  const { apiVersion, kind } = review;
  return { status: 200, body: { apiVersion, kind, response }, ...delayOf(spec) };
}

const echoes = [
  { name: 'echoes', singularName: 'echo', namespaced: true, kind: 'Echo', verbs: ['get', 'list', 'create'] },
];

// Returns discovery documents of one group-version, fixed responses, or an echo of the request.
function extend(spec: HelperSpec, request: HelperRequest): HelperResponse {
  const { group = 'echo.example.com', version = 'v1' } = spec;
  const target = request.message.url ?? '';
  const path = (target.split('?')[0] ?? '').replace(/\/+$/, '');
  const fixed = fixedResponse(spec, request.message, path);
  if (fixed !== undefined) return fixed;
  if (spec.behaviour === 'http500') return failing;
  const groupVersion = `${group}/${version}`;
  if (path === `/apis/${groupVersion}`) {
    const resources = spec.resources ?? echoes;
    return { status: 200, body: { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources } };
  }
  if (path === `/apis/${group}`) {
    const preferredVersion = { groupVersion, version };
    const body = {
      kind: 'APIGroup',
      apiVersion: 'v1',
      name: group,
      versions: [preferredVersion],
      preferredVersion,
    };
    return { status: 200, body };
  }
  if (['/apis', '/api', '/openapi/v2', '/openapi/v3'].includes(path)) {
    return { status: 404, body: { kind: 'Status', apiVersion: 'v1', status: 'Failure', code: 404 } };
  }
  return { status: spec.status ?? 200, headers: spec.headers ?? {}, body: echo(groupVersion, request) };
}

function fixedResponse(spec: HelperSpec, message: IncomingMessage, path: string): HelperResponse | undefined {
  const route = spec.routes?.find(
    (candidate) =>
      candidate.path.replace(/\/+$/, '') === path &&
      (candidate.method ?? message.method) === message.method &&
      (!candidate.query || message.url?.includes(candidate.query)),
  );
  if (route === undefined) return undefined;
  const { status = 200, headers = {}, stream, body = {} } = route;
  if (stream !== undefined) return { status, headers, stream };
  return typeof body === 'string' ? { status, headers, text: body } : { status, headers, body };
}

const echoedPrefixes = ['x-remote', 'impersonate', 'x-custom', 'x-forwarded'];
const echoedNames = new Set([
  'authorization',
  'content-type',
  'accept',
  'user-agent',
  'connection',
  'cookie',
]);

function echo(apiVersion: string, { message, body }: HelperRequest): Json {
  const headers: Record<string, string[]> = {};
  for (let i = 0; i < message.rawHeaders.length; i += 2) {
    const name = (message.rawHeaders[i] ?? '').toLowerCase();
    if (!echoedNames.has(name) && !echoedPrefixes.some((prefix) => name.startsWith(prefix))) continue;
    (headers[name] ??= []).push(message.rawHeaders[i + 1] ?? '');
  }
  for (const values of Object.values(headers)) values.sort();
  const peer: unknown = (message.socket as TLSSocket).getPeerCertificate();
  const subject = isObject(peer) && isObject(peer.subject) ? peer.subject : {};
  return {
    kind: 'Echo',
    apiVersion,
    metadata: { name: 'echo' },
    method: message.method,
    path: message.url,
    clientCN: subject.CN ?? null,
    host: message.headers.host ?? null,
    headers,
    body,
  };
}
