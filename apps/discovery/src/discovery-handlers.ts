import { Buffer } from 'node:buffer';
import { finishInSlices } from '@annex/machinery';
import {
  aggregatedDocument,
  methodNotRouted,
  pause,
  groupDocument,
  groupListDocument,
  isAggregatedRequested,
  sendAggregated,
  sendDocument,
  sendNotServed,
  stringifyInSlices,
} from '@annex/server';
import { builtinPriority } from '@annex/aggregation';
import { digest } from '@annex/openapi';
import type { DiscoverySource, GroupDiscovery, RequestContext } from '@annex/kinds';
import { type LocalPlace, aggregatedItems } from './aggregated-documents.ts';
import { discoveryOf, type ServedVersions } from './extension-discovery.ts';
import type { FollowedServers } from './followed-servers.ts';
import { apiRegistration, findGroup, registeredGroups, versionsDocument } from './legacy-documents.ts';
import type { Registration, Registrations } from './sources.ts';

/** The sources of the discovery documents. */
export interface DiscoveryInputs<R extends Registration> {
  sources: readonly DiscoverySource[];
  registrations: Registrations<R>;
  extensions: FollowedServers<R, ServedVersions>;
  place: LocalPlace;
  serverAddress(): string;
}

interface Kept {
  bytes: Buffer;
  etag: string;
}

/** kube's router for built-in groups accepts any number of slashes at the end of a path; other groups accept one. */
const isBuiltin = (name: string, { versions }: { versions: readonly { version: string }[] }): boolean =>
  versions.some(({ version }) => builtinPriority(name, version) !== undefined);

/** Serves `/api`, `/apis` and `/apis/<group>` from documents that are cached until a source changes. */
export class DiscoveryHandlers<R extends Registration> {
  readonly #inputs: DiscoveryInputs<R>;
  #local: Promise<readonly GroupDiscovery[]> | undefined;
  #legacy: ReturnType<typeof registeredGroups> | undefined;
  #aggregated = new Map<'core' | 'groups', Promise<Kept>>();

  constructor(inputs: DiscoveryInputs<R>) {
    this.#inputs = inputs;
  }

  /** Starts following changes; returns the function that ends it. */
  start(): () => void {
    const forget = () => {
      this.#local = undefined;
      this.#legacy = undefined;
      this.#aggregated = new Map();
    };
    const { sources, registrations, extensions } = this.#inputs;
    const ends = [...sources, registrations, extensions].map((one) => one.onChange(forget));
    return () => ends.forEach((end) => end());
  }

  /** Serves `/api`. */
  async versions(request: RequestContext): Promise<void> {
    if (request.req.method !== 'GET') throw methodNotRouted();
    if (isAggregatedRequested(request.req.headers.accept)) return this.#sendAggregated(request, 'core');
    const core = (await this.#groups()).find((group) => group.metadata.name === undefined);
    const versions = core?.versions.map(({ version }) => version) ?? [];
    await sendDocument(request, versionsDocument(versions, this.#inputs.serverAddress()), { routed: true });
  }

  /** Serves `/apis`, and `/apis/`, which has no aggregated form. */
  async groups(request: RequestContext): Promise<void> {
    if (request.path === '/apis' && isAggregatedRequested(request.req.headers.accept))
      return this.#sendAggregated(request, 'groups');
    this.#legacy ??= registeredGroups(this.#inputs.registrations.all());
    await sendDocument(request, groupListDocument(this.#legacy), { routed: false });
  }

  /** Serves `/apis/<group>`; `slashes` is the number of slashes at its end. */
  async group(request: RequestContext, name: string, { slashes }: { slashes: number }): Promise<void> {
    const group = findGroup(name, this.#inputs.registrations.all(), await this.#groups());
    if (group === undefined || (slashes > 1 && !isBuiltin(name, group))) return sendNotServed(request);
    // kube's router rejects other methods for this group only; the other groups return their document for any method.
    if (name === apiRegistration && request.req.method !== 'GET') throw methodNotRouted();
    await sendDocument(request, groupDocument(group), { routed: false });
  }

  #groups(): Promise<readonly GroupDiscovery[]> {
    return (this.#local ??= this.#collect());
  }

  async #collect(): Promise<readonly GroupDiscovery[]> {
    const lists = await Promise.all(this.#inputs.sources.map((source) => source.groups()));
    return lists.flat();
  }

  async #sendAggregated(request: RequestContext, which: 'core' | 'groups'): Promise<void> {
    let kept = this.#aggregated.get(which);
    if (kept === undefined) this.#aggregated.set(which, (kept = this.#aggregate(which === 'core')));
    const { bytes, etag } = await kept;
    sendAggregated(request, bytes, etag);
  }

  async #aggregate(core: boolean): Promise<Kept> {
    const { registrations, extensions, place } = this.#inputs;
    const local = await this.#groups();
    await pause();
    const sources = {
      local,
      registrations: registrations.all(),
      remote: (registration: Registration) => discoveryOf(registration, extensions.get(registration)),
      place,
    };
    const items = await finishInSlices(aggregatedItems(sources, core), pause);
    await pause();
    const bytes = Buffer.from(await stringifyInSlices(aggregatedDocument(items)));
    await pause();
    return { bytes, etag: `"${digest(bytes)}"` };
  }
}
