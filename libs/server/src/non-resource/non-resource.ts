import { Buffer } from 'node:buffer';
import { noSuchResource, stringifyJson } from '@annex/machinery';
import type { Metrics } from '@annex/runtime';
import type { Backend } from '../app.ts';
import type { RequestContext } from '@annex/kinds';
import { requireGetRoute } from '../go-route.ts';
import { type HealthCheck, answerHealth, healthPaths } from './health.ts';
import { sendBody } from '../respond.ts';

/** What a server says of itself beside the API. */
export interface NonResourceOptions {
  checks: readonly HealthCheck[];
  metrics: Metrics;
  /** The body of `/version`. */
  version: Readonly<Record<string, string>>;
  /** Further documents by path, made when they are asked for: OpenID discovery and keys. */
  documents?: Readonly<Record<string, { contentType: string; content(): unknown }>>;
  /** The paths of the API that `GET /` lists beside these; without it `/` is a path of the API. */
  apiPaths?: () => Iterable<string>;
}

const json = 'application/json';
const publicForAnHour = { 'Cache-Control': 'public, max-age=3600' };

/** Answers the paths about the server itself (`/`, health, version, metrics) and hands everything else on. */
export const nonResource = (options: NonResourceOptions, api: Backend): Backend => ({
  handle: (ctx) => (ctx.info.isResourceRequest ? api.handle(ctx) : answer(ctx, options, api)),
});

async function answer(ctx: RequestContext, options: NonResourceOptions, api: Backend): Promise<void> {
  const { path } = ctx;
  if (path === '/metrics') {
    return sendBody(ctx, 200, options.metrics.contentType, Buffer.from(await options.metrics.render()));
  }
  if (options.apiPaths && (path === '/' || path === '/index.html')) {
    return sendIndented(ctx, { paths: listedPaths(options, options.apiPaths()) });
  }
  if (await answerRouted(ctx, options)) return;
  if (await answerHealth(ctx, options.checks)) return;
  await api.handle(ctx);
}

/** Answers what kube's router has, which does not care for a slash at the end. */
async function answerRouted(
  ctx: RequestContext,
  { version, documents = {} }: NonResourceOptions,
): Promise<boolean> {
  const path = ctx.path.replace(/(?<=.)\/$/, '');
  const routed = ['/version', ...Object.keys(documents)];
  if (routed.some((root) => path.startsWith(`${root}/`))) throw noSuchResource();
  if (path === '/version') {
    requireGetRoute(ctx, [json]);
    sendIndented(ctx, version);
    return true;
  }
  const document = Object.hasOwn(documents, path) ? documents[path] : undefined;
  if (document === undefined) return false;
  requireGetRoute(ctx, [document.contentType]);
  const content = Buffer.from(stringifyJson(await document.content()));
  sendBody(ctx, 200, document.contentType, content, publicForAnHour);
  return true;
}

/** Sends what is always written for people to read. */
const sendIndented = (ctx: RequestContext, value: unknown): void =>
  sendBody(ctx, 200, json, Buffer.from(stringifyJson(value, 2)));

function listedPaths({ checks, documents = {} }: NonResourceOptions, apiPaths: Iterable<string>): string[] {
  const own = ['/metrics', '/version', ...Object.keys(documents), ...healthPaths(checks)];
  return [...new Set([...own, ...apiPaths])].sort();
}
