import { Buffer } from 'node:buffer';
import { noSuchResource, stringifyJson } from '@annex/machinery';
import type { Metrics } from '@annex/runtime';
import type { RequestContext } from '@annex/kinds';
import { requireGetRoute } from '../go-route.ts';
import { type HealthCheck, healthPaths } from './health.ts';
import { sendBody } from '../respond.ts';
import type { Handler } from '../route.ts';

/** The data of the paths outside of the API. */
export interface AboutServer {
  checks: readonly HealthCheck[];
  metrics: Metrics;
  /** The body of `/version`. */
  version: Readonly<Record<string, string>>;
  /** Further documents by path, made when they are requested: OpenID discovery and keys. */
  documents?: Readonly<Record<string, ServerDocument>>;
  /** The paths of the API that `GET /` lists in addition. If absent, `/` is a path of the API. */
  apiPaths?: () => Iterable<string>;
}

interface ServerDocument {
  contentType: string;
  content(): unknown;
}

const json = 'application/json';
const publicForAnHour = { 'Cache-Control': 'public, max-age=3600' };

/** Returns the handler of `/metrics`. */
export const metricsHandler = ({ path }: RequestContext, { metrics }: AboutServer): Handler | undefined =>
  path === '/metrics'
    ? async (request) => sendBody(request, 200, metrics.contentType, Buffer.from(await metrics.render()))
    : undefined;

/** Returns the handler of `/`, which lists the paths of the server. */
export const indexHandler = ({ path }: RequestContext, about: AboutServer): Handler | undefined =>
  about.apiPaths && (path === '/' || path === '/index.html')
    ? (request) => sendIndented(request, { paths: listedPaths(about, about.apiPaths?.() ?? []) })
    : undefined;

/** Returns the handler of `/version`. */
export const versionHandler = (request: RequestContext, { version }: AboutServer): Handler | undefined =>
  isRouted(request, '/version')
    ? () => {
        requireGetRoute(request, [json]);
        sendIndented(request, version);
      }
    : undefined;

/** Returns the handler of one of the documents. */
export function documentHandler(
  request: RequestContext,
  { documents = {} }: AboutServer,
): Handler | undefined {
  const found = Object.entries(documents).find(([root]) => isRouted(request, root));
  return found && (() => sendServerDocument(request, found[1]));
}

async function sendServerDocument(request: RequestContext, { contentType, content }: ServerDocument) {
  requireGetRoute(request, [contentType]);
  sendBody(request, 200, contentType, Buffer.from(stringifyJson(await content())), publicForAnHour);
}

/** kube-apiserver's router ignores a trailing slash and has no routes below these paths. */
function isRouted({ path }: RequestContext, root: string): boolean {
  if (!path.startsWith(root)) return false;
  const rest = path.slice(root.length);
  if (rest === '' || rest === '/') return true;
  if (rest.startsWith('/')) throw noSuchResource();
  return false;
}

/** Sends indented JSON, independent of the request. */
const sendIndented = (request: RequestContext, value: unknown): void =>
  sendBody(request, 200, json, Buffer.from(stringifyJson(value, 2)));

function listedPaths({ checks, documents = {} }: AboutServer, apiPaths: Iterable<string>): string[] {
  const ownPaths = ['/metrics', '/version', ...Object.keys(documents), ...healthPaths(checks)];
  return [...new Set([...ownPaths, ...apiPaths])].sort();
}
