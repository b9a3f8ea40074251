import type { OutgoingHttpHeaders } from 'node:http';
import type { UserInfo } from '@annex/auth';
import type { ServerDeps } from '@annex/server';
import { type ApiService, isRemote } from './api-service.ts';
import { type Fetched, fetchWhole, headerList, type ProxyClientCertificate } from '@annex/http';
import { type IdentityHeaderNames, defaultIdentityHeaders, identityHeaders } from './forward-headers.ts';
import { ServiceResolver, type ServiceRouting } from './service-resolver.ts';
import { Transports } from './transports.ts';

/** What a forwarder is made of. */
export interface ForwarderOptions {
  /** Read at every use, so that a renewed certificate counts. */
  client: () => ProxyClientCertificate | undefined;
  /** The names of the headers that carry the user; of each the first counts. */
  identityHeaders?: IdentityHeaderNames;
  routing?: ServiceRouting;
}

/** A request of the server's own to an extension server. */
export interface RemoteFetch {
  /** Encoded path and query. */
  path: string;
  user: UserInfo;
  headers?: OutgoingHttpHeaders;
  timeoutMs: number;
  maxBytes: number;
}

/** The way to extension servers: finds, dials and keeps connections to the services of APIServices. */
export class Forwarder {
  readonly transports: Transports;
  readonly resolver: ServiceResolver;
  readonly identityHeaders: IdentityHeaderNames;

  constructor(deps: Pick<ServerDeps, 'feed'>, options: ForwarderOptions) {
    this.transports = new Transports(options.client);
    this.resolver = new ServiceResolver(deps.feed, options.routing);
    this.identityHeaders = options.identityHeaders ?? defaultIdentityHeaders;
  }

  /** Sends a GET of the server's own and reads the whole answer. Throws where the server is not reached in time. */
  async fetch(apiService: ApiService, request: RemoteFetch): Promise<Fetched> {
    if (!isRemote(apiService)) throw new Error(`${apiService.metadata.name ?? ''} names no service`);
    const { path, user, headers, ...limits } = request;
    return fetchWhole(
      {
        transport: this.transports.of(apiService),
        endpoint: this.resolver.resolve(apiService.spec.service),
        method: 'GET',
        path,
        headers: [
          ...headerList({ 'user-agent': 'annex', ...headers }),
          ...identityHeaders(user, this.identityHeaders),
        ],
      },
      limits,
    );
  }

  close(): void {
    this.transports.close();
  }
}
