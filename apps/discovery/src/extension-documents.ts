import type { Logger } from '@annex/runtime';
import { type ExtensionDocuments, sendEmpty } from '@annex/server';
import type { ForeignDocument } from '@annex/openapi';
import type { RequestContext } from '@annex/kinds';
import { fetchOpenApi, openApiPathOf, type ServedOpenApi } from './extension-openapi.ts';
import { type Followed, FollowedServers, type RefreshIntervals } from './followed-servers.ts';
import { forwardDocument } from './forward-document.ts';
import { type FetchRemote, groupOf, type Registration, type Registrations } from './sources.ts';

/**
 * The OpenAPI documents of extension servers. Documents of version 2 are fetched in the background and merged. Requests for documents of
 * version 3 are forwarded; for servers without them, they are converted from version 2.
 */
export class OpenApiOfExtensions<R extends Registration> implements ExtensionDocuments {
  readonly #servers: FollowedServers<R, ServedOpenApi>;
  readonly #fetch: FetchRemote<R>;
  readonly converted = {
    openapiPaths: () => [...this.#converted()].map(([path]) => path),
    openapi: (wanted: string) => [...this.#converted()].find(([path]) => path === wanted)?.[1],
  };

  constructor(
    deps: { fetch: FetchRemote<R>; registrations: Registrations<R>; log: Logger },
    intervals?: RefreshIntervals,
  ) {
    const { fetch, registrations, log } = deps;
    this.#fetch = fetch;
    this.#servers = new FollowedServers({
      subject: 'OpenAPI documents',
      registrations,
      log,
      intervals,
      ask: (registration, known: ServedOpenApi | undefined) => fetchOpenApi(fetch, registration, known),
    });
  }

  start(): void {
    this.#servers.start();
  }

  stop(): void {
    this.#servers.stop();
  }

  v2(): ForeignDocument[] {
    return orderForMerge([...this.#servers.all()]).flatMap(({ registration, known }) => {
      if (known?.v2 === undefined) return [];
      const { etag, document } = known.v2;
      return [{ hash: `${registration.metadata.name ?? ''} ${etag}`, document }];
    });
  }

  urls(): ReadonlyMap<string, string> {
    const found = new Map<string, string>();
    for (const { registration, known } of this.#servers.all()) {
      for (const [path, url] of known?.urls ?? []) {
        if (!found.has(path) || path === openApiPathOf(registration)) found.set(path, url);
      }
    }
    return found;
  }

  /** Several servers may list a path; requests go to the server that is registered for it. */
  async forward(request: RequestContext, path: string): Promise<void> {
    const able = [...this.#servers.all()].filter(({ known }) => known?.urls?.has(path));
    const server = able.find(({ registration }) => openApiPathOf(registration) === path) ?? able[0];
    if (server === undefined) return sendEmpty(request, 404);
    await forwardDocument(request, this.#fetch, server.registration);
  }

  *#converted() {
    for (const { registration, known } of this.#servers.all()) {
      const document = known?.v2?.converted;
      if (document !== undefined && known?.urls === undefined)
        yield [openApiPathOf(registration), document] as const;
    }
  }
}

/** Orders servers by the highest priority of any version of their group, then by name. */
function orderForMerge<F extends Followed<Registration, unknown>>(servers: F[]): F[] {
  const priorities = new Map<string, number>();
  for (const { registration } of servers) {
    const group = groupOf(registration);
    priorities.set(group, Math.max(priorities.get(group) ?? 0, registration.spec.groupPriorityMinimum));
  }
  const priorityOf = ({ registration }: F) => priorities.get(groupOf(registration)) ?? 0;
  const nameOf = ({ registration }: F) => registration.metadata.name ?? '';
  return servers.sort((a, b) => priorityOf(b) - priorityOf(a) || (nameOf(a) < nameOf(b) ? -1 : 1));
}
