import { stringifyJson } from '@annex/machinery';
import type { Metrics } from '@annex/runtime';
import type { Backend } from './app.ts';
import type { RequestContext } from './context.ts';
import { type HealthCheck, answerHealth } from './health.ts';
import { sendBody, sendJson } from './respond.ts';

/** What a server says of itself beside the API. */
export interface NonResourceOptions {
  checks: readonly HealthCheck[];
  metrics: Metrics;
  /** The body of `/version`. */
  version: Readonly<Record<string, string>>;
  /** Further documents by path, made when they are asked for: OpenID discovery and keys. */
  documents?: Readonly<Record<string, { contentType: string; content(): unknown }>>;
}

/** Answers the paths about the server itself (health, version, metrics) and hands everything else on. */
export const nonResource = (options: NonResourceOptions, api: Backend): Backend => ({
  async handle(ctx: RequestContext): Promise<void> {
    if (ctx.info.isResourceRequest) return await api.handle(ctx);
    const path = ctx.path.replace(/(?<=.)\/$/, '');
    if (path === '/version') return sendJson(ctx, 200, options.version);
    if (path === '/metrics') {
      return sendBody(ctx, 200, options.metrics.contentType, Buffer.from(await options.metrics.render()));
    }
    const document =
      options.documents && Object.hasOwn(options.documents, path) ? options.documents[path] : undefined;
    if (document !== undefined) {
      return sendBody(ctx, 200, document.contentType, Buffer.from(stringifyJson(await document.content())));
    }
    if (await answerHealth(ctx, options.checks)) return;
    await api.handle(ctx);
  },
});
