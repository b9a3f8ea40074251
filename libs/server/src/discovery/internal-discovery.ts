import { Buffer } from 'node:buffer';
import { badRequest, methodNotAllowed, stringifyJson } from '@annex/machinery';
import {
  type DiscoverySource,
  type GroupDiscovery,
  type RequestContext,
  booleanParameter,
} from '@annex/kinds';
import { sendHead, sendJson, sendNotServed } from '../respond.ts';
import type { Handler } from '../route.ts';
import { WatchStream } from '../watch-stream.ts';

/** The path at which an app in a separate process publishes what it serves. */
export const discoveryPath = '/internal/discovery';
/** The path of its OpenAPI documents; the query parameter `path` names one. */
export const openApiPath = '/internal/openapi';

/** The document of {@link discoveryPath}. */
export interface DiscoverySummary {
  groups: GroupDiscovery[];
  /** The OpenAPI documents, each with its hash if the app has it without building the document. */
  openapi: { path: string; hash?: string }[];
}

// Milliseconds in which changes are collected into one line: a line contains everything, and every CRD makes
// it longer.
const pauseMs = 10;
const limits = { heartbeatMs: 10_000, maxBufferedBytes: 64 * 1024 * 1024 };

/**
 * Returns the handler of the requests that the discovery and front-proxy processes send to an app. With
 * `watch=1` it streams JSON lines: one immediately and one after each change. An empty line is a heartbeat.
 */
export const discoveryHandler = ({ path }: RequestContext, source: DiscoverySource): Handler | undefined =>
  path === discoveryPath || path === openApiPath ? (request) => sendDiscovery(request, source) : undefined;

async function sendDiscovery(request: RequestContext, source: DiscoverySource): Promise<void> {
  if (request.req.method !== 'GET' && request.req.method !== 'HEAD') {
    throw methodNotAllowed({ group: '', resource: request.path }, request.info.verb);
  }
  if (request.path === openApiPath) return await sendOpenApi(request, source);
  if (booleanParameter(request.query.get('watch'))) return await streamSummaries(request, source);
  sendJson(request, 200, await summaryOf(source));
}

async function summaryOf(source: DiscoverySource): Promise<DiscoverySummary> {
  const [groups, paths] = await Promise.all([source.groups(), source.openapiPaths()]);
  return {
    groups,
    openapi: paths.map((path) => {
      const hash = source.openapiHash?.(path);
      return hash === undefined ? { path } : { path, hash };
    }),
  };
}

async function sendOpenApi(request: RequestContext, source: DiscoverySource): Promise<void> {
  const path = request.query.get('path');
  if (path === undefined) throw badRequest('the query parameter "path" is missing');
  const document = await source.openapi(path);
  if (document === undefined) return sendNotServed(request);
  sendJson(request, 200, document);
}

async function streamSummaries(request: RequestContext, source: DiscoverySource): Promise<void> {
  sendHead(request, 200, 'application/json;stream=watch');
  const stream = new WatchStream(request.res, limits.maxBufferedBytes);
  const heartbeat = setInterval(() => stream.write(Buffer.from('\n')), limits.heartbeatMs).unref();
  let changed: PromiseWithResolvers<void> = Promise.withResolvers();
  const end = source.onChange(() => changed.resolve());
  const over = Promise.race([stream.closed, aborted(request.stopping)]).then(() => 'over' as const);
  try {
    for (
      let next: 'over' | void = undefined;
      next !== 'over';
      next = await Promise.race([changed.promise, over])
    ) {
      changed = Promise.withResolvers();
      stream.write(Buffer.from(`${stringifyJson(await summaryOf(source))}\n`));
      await Promise.race([new Promise((resolve) => setTimeout(resolve, pauseMs)), over]);
    }
  } finally {
    end();
    clearInterval(heartbeat);
    stream.end();
  }
}

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
