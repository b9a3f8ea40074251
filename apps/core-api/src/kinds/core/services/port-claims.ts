import { type KubeObject, parseJson } from '@annex/machinery';
import type { ServerDeps } from '@annex/server';
import { StoreError } from '@annex/storage';
import type { ServiceSpec } from './spec.ts';

/** One key for each node port that a Service is about to get, so that the store keeps ports unique among replicas. */
const prefix = '/registry/nodeportclaims/';
const servicePrefix = '/registry/services/specs/';
/** Seconds after which a claim of a Service that was never stored expires. */
const claimSeconds = 30;

interface Claim {
  namespace: string;
  name: string;
}

/** The node ports that are allocated to Services whose write is in progress at any replica. */
export class PortClaims {
  readonly #store: ServerDeps['store'];

  constructor(store: ServerDeps['store']) {
    this.#store = store;
  }

  /** Claims a port for a Service. Resolves to false if it belongs to another one. */
  async take(port: number, { metadata }: KubeObject): Promise<boolean> {
    const { namespace = '', name = '' } = metadata;
    const value = Buffer.from(JSON.stringify({ namespace, name } satisfies Claim));
    const options = { ttlSeconds: claimSeconds };
    const { entry } = await this.#store.get(keyOf(port));
    if (entry === undefined) return await isDone(this.#store.create(keyOf(port), value, options));
    const claim = claimOf(entry.value);
    const isOwn = claim.namespace === namespace && claim.name === name;
    if (!isOwn && !(await this.#isOver(port, claim, entry.modRevision))) return false;
    return await isDone(this.#store.update(keyOf(port), value, entry.modRevision, options));
  }

  /** Ends the claims of a Service. */
  async release({ metadata }: KubeObject, ports: readonly number[]): Promise<void> {
    for (const port of ports) {
      const { entry } = await this.#store.get(keyOf(port));
      if (entry === undefined) continue;
      const { namespace, name } = claimOf(entry.value);
      if (namespace !== metadata.namespace || name !== metadata.name) continue;
      await isDone(this.#store.delete(keyOf(port), entry.modRevision));
    }
  }

  /** Returns whether the Service was stored after its claim, and has the port no longer. */
  async #isOver(port: number, { namespace, name }: Claim, claimed: number): Promise<boolean> {
    const { entry } = await this.#store.get(`${servicePrefix}${namespace}/${name}`);
    if (entry === undefined || entry.modRevision < claimed) return false;
    return !portsOf(parseJson(Buffer.from(entry.value).toString()) as unknown as KubeObject).includes(port);
  }
}

/** Returns the node ports of a Service. */
export function portsOf({ spec }: KubeObject): number[] {
  const { ports, healthCheckNodePort } = (spec ?? {}) as ServiceSpec;
  return [...(ports ?? []).map(({ nodePort }) => nodePort), healthCheckNodePort].filter(
    (port): port is number => typeof port === 'number' && port !== 0,
  );
}

const keyOf = (port: number): string => `${prefix}${port}`;

const claimOf = (value: Uint8Array): Claim => parseJson(Buffer.from(value).toString()) as unknown as Claim;

/** Returns false if another replica was faster. */
async function isDone(write: Promise<unknown>): Promise<boolean> {
  try {
    await write;
    return true;
  } catch (error) {
    if (error instanceof StoreError && ['exists', 'conflict', 'notFound'].includes(error.code)) return false;
    throw error;
  }
}
