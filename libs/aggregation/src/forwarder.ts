import type { OutgoingHttpHeaders } from 'node:http';
import type { UserInfo } from '@annex/auth';
import type { ServerDeps } from '@annex/server';
import { type ApiService, isRemote } from './api-service.ts';
import { type Fetched, fetchWhole, headerList, type ProxyClientCertificate } from '@annex/http';
import { type IdentityHeaderNames, defaultIdentityHeaders, identityHeaders } from './forward-headers.ts';
import { ServiceResolver, type ServiceRouting } from './service-resolver.ts';
import { Transports } from './transports.ts';

/** Options of a forwarder. */
export interface ForwarderOptions {
  /** Read at every use, so that a renewed certificate applies. */
  client: () => ProxyClientCertificate | undefined;
  /** The names of the headers that contain the user; the first name of each is sent. */
  identityHeaders?: IdentityHeaderNames;
  routing?: ServiceRouting;
}

/** A request of this server to an extension API server. */
export interface RemoteFetch {
  /** Encoded path and query. */
  path: string;
  user: UserInfo;
  headers?: OutgoingHttpHeaders;
  timeoutMs: number;
  maxBytes: number;
}

/**
 * Sends requests to extension API servers: resolves the services of APIServices, opens and keeps connections.
 */
export class Forwarder {
  readonly transports: Transports;
  readonly resolver: ServiceResolver;
  readonly identityHeaders: IdentityHeaderNames;

  constructor(deps: Pick<ServerDeps, 'feed' | 'egress'>, options: ForwarderOptions) {
    this.transports = new Transports(options.client, deps.egress);
    this.resolver = new ServiceResolver(deps.feed, options.routing);
    this.identityHeaders = options.identityHeaders ?? defaultIdentityHeaders;
  }

  /** Sends a GET of this server and reads the whole response. Throws if the server is not reached in time. */
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
