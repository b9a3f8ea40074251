import { Buffer } from 'node:buffer';
import type { RemoteApiService } from './api-service.ts';
import { type ProxyClientCertificate, Transport } from '@annex/http';
import type { EgressSelector } from '@annex/runtime';

/** The transports of APIServices: one for each spec, created at its first use. */
export class Transports {
  readonly #client: () => ProxyClientCertificate | undefined;
  readonly #egress: EgressSelector | undefined;
  readonly #known = new Map<
    string,
    { of: RemoteApiService; client: string | undefined; transport: Transport }
  >();

  constructor(client: () => ProxyClientCertificate | undefined, egress?: EgressSelector) {
    this.#client = client;
    this.#egress = egress;
  }

  /** Throws if the transport cannot be created; then every request fails, independent of the service. */
  of(apiService: RemoteApiService): Transport {
    const name = apiService.metadata.name ?? '';
    const client = this.#client();
    const known = this.#known.get(name);
    if (known?.client === client?.cert && known !== undefined) {
      if (known.of === apiService) return known.transport;
      if (sameTransport(known.of, apiService)) {
        known.of = apiService;
        return known.transport;
      }
    }
    const transport = makeTransport(apiService, client, this.#egress);
    known?.transport.retire();
    this.#known.set(name, { of: apiService, client: client?.cert, transport });
    return transport;
  }

  /** Removes the transport of a deleted APIService. */
  forget(name: string): void {
    this.#known.get(name)?.transport.retire();
    this.#known.delete(name);
  }

  close(): void {
    for (const { transport } of this.#known.values()) transport.close();
    this.#known.clear();
  }
}

function makeTransport(
  { spec }: RemoteApiService,
  client: ProxyClientCertificate | undefined,
  egress: EgressSelector | undefined,
): Transport {
  const { service, caBundle = '', insecureSkipTLSVerify = false } = spec;
  return new Transport({
    ca: caBundle === '' ? undefined : Buffer.from(caBundle, 'base64').toString(),
    serverName: `${service.name}.${service.namespace}.svc`,
    insecureSkipTLSVerify,
    client,
    dial: egress?.dialerFor('cluster'),
    hop: egress?.hopTo('cluster'),
  });
}

const sameTransport = (a: RemoteApiService, b: RemoteApiService): boolean =>
  a.spec.caBundle === b.spec.caBundle &&
  a.spec.insecureSkipTLSVerify === b.spec.insecureSkipTLSVerify &&
  a.spec.service.name === b.spec.service.name &&
  a.spec.service.namespace === b.spec.service.namespace;
