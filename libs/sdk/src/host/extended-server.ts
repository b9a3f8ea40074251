import type { Client } from '@annex/client';
import { internalError, isReason, type KubeObject } from '@annex/machinery';
import type { Logger, Metrics, Part } from '@annex/runtime';
import type {
  admissionConfigurations,
  AdmissionHost,
  ParamKind,
  ParamSource,
  PolicySpec,
  ResolveService,
} from '@annex/admission';
import { FollowedObjects } from './followed-objects.ts';
import { HostParams } from './host-params.ts';
import { webhookServiceResolver } from './webhook-service-resolver.ts';

const namespaces = '/api/v1/namespaces';
const registration = 'admissionregistration.k8s.io';

/** The resources of the API server that admission reads. */
export type HostResource = 'namespaces' | (typeof admissionConfigurations)[number];

/**
 * The API server that an extension API server extends, as host of admission. Its objects are followed, so
 * that requests need no look-ups.
 */
export class ExtendedServer implements AdmissionHost, Part {
  readonly name = 'host';
  readonly log: Logger;
  readonly metrics: Metrics;
  readonly resolveService: ResolveService;
  readonly #client: Client;
  readonly #params: HostParams;
  readonly #followed = new Map<string, FollowedObjects>();

  constructor(client: Client, { log, metrics }: Pick<AdmissionHost, 'log' | 'metrics'>) {
    this.#client = client;
    this.log = log;
    this.metrics = metrics;
    this.resolveService = webhookServiceResolver(client);
    this.#params = new HostParams(client, log);
  }

  /** Follows a resource from the start on. */
  follow(resource: HostResource): FollowedObjects {
    const prefix = prefixOf(resource);
    let followed = this.#followed.get(prefix);
    if (followed === undefined) {
      followed = new FollowedObjects(this.#client, {
        what: resource,
        path: resource === 'namespaces' ? namespaces : `/apis/${registration}/v1/${resource}`,
        prefix,
        log: this.log,
        ...(resource.endsWith('policies') ? { changed: () => this.#followParams() } : {}),
      });
      this.#followed.set(prefix, followed);
    }
    return followed;
  }

  start(): void {
    for (const followed of this.#followed.values()) followed.start();
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#followed.values(), this.#params].map((part) => part.stop()));
  }

  /** True if all followed resources are loaded. */
  get isLoaded(): boolean {
    return this.#followed.values().every(({ isLoaded }) => isLoaded);
  }

  objects(prefix: string): FollowedObjects {
    const followed = this.#followed.get(prefix);
    if (followed === undefined) throw new Error(`${prefix} is not followed`);
    return followed;
  }

  /** Returns a namespace; reads it from the API server if it is not loaded yet. */
  readonly findNamespace = async (name: string): Promise<KubeObject | undefined> => {
    const known = this.#followed.get(prefixOf('namespaces'))?.get(prefixOf('namespaces') + name);
    if (known !== undefined) return known.value.object;
    try {
      return await this.#client.json<KubeObject>({ path: `${namespaces}/${name}`, timeoutMs: 10_000 });
    } catch (error) {
      if (isReason(error, 'NotFound')) return undefined;
      throw internalError(error instanceof Error ? error.message : String(error));
    }
  };

  findParams(kind: ParamKind): Promise<ParamSource> {
    return this.#params.find(kind);
  }

  #followParams(): void {
    const policies = [...this.#followed].flatMap(([prefix, followed]) =>
      prefix.endsWith('policies/') ? followed.list(prefix).entries : [],
    );
    const kinds = policies.map(({ value }) => (value.object.spec as PolicySpec).paramKind);
    this.#params.follow(kinds.filter((kind) => kind != null));
  }
}

const prefixOf = (resource: HostResource): string => `/registry/${resource}/`;
