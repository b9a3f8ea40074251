import { randomUUID } from 'node:crypto';
import { deepEqual, formatTime } from '@annex/machinery';
import {
  type ApiService,
  type ApiServicePriority,
  type ApiServices,
  apiServiceName,
  availableCondition,
  builtinPriority,
  customPriority,
  localCondition,
} from '@annex/aggregation';
import { pause, type ServerDeps, StoredObjects } from '@annex/server';
import { createMissing } from '@annex/storage';
import {
  type DiscoverySource,
  type GroupDiscovery,
  type GroupVersion,
  type ResourceKind,
  withCreator,
} from '@annex/kinds';
import { apiRegistrationGroup } from './kinds/apiregistration/apiservices/kind.ts';

/** The label of APIServices that the server maintains; its value is a {@link Management}. */
export const automanagedLabel = 'kube-aggregator.kubernetes.io/automanaged';

/** `onstart`: created once after each start. `true`: always kept in the expected state. */
export type Management = 'onstart' | 'true';

/** Groups with local APIServices: those of built-in kinds at start, those of custom resources continuously. */
export type ManagedSource = Pick<DiscoverySource, 'groups' | 'groupVersions' | 'onChange'>;

interface Desired extends GroupVersion {
  manage: Management;
  priority: ApiServicePriority;
}

/** APIServices that are written together: all readers get their events in one turn. A CRD may have thousands of versions. */
const registeredAtOnce = 32;

type Action = 'nothing' | 'create' | 'update' | 'delete';

/**
 * Maintains a local APIService for every version of every built-in group and custom resource. Decides as kube-aggregator: objects without
 * the label are not changed; objects that are managed `onstart` may be changed or deleted until the next start.
 */
export class AutoRegistration {
  readonly #deps: ServerDeps;
  readonly #apiServices: ApiServices;
  readonly #objects: StoredObjects;
  readonly #sources: readonly ManagedSource[];
  readonly #stop = new AbortController();
  readonly #synced = new Set<string>();
  /** The last versions of sources. */
  readonly #versions = new Map<ManagedSource, string>();
  /** Sources whose versions have to be compared. */
  readonly #changedSources = new Set<ManagedSource>();
  #desired = new Map<string, Desired>();
  #atStart: ReadonlySet<string> = new Set();
  #running: Promise<void> | undefined;
  #again = false;

  constructor(
    deps: ServerDeps,
    apiServices: ApiServices,
    kind: ResourceKind,
    sources: readonly ManagedSource[],
  ) {
    this.#deps = deps;
    this.#apiServices = apiServices;
    this.#objects = new StoredObjects(deps, kind);
    this.#sources = sources;
  }

  /** Registers missing APIServices concurrently, and follows later changes. Requires started APIServices. */
  async start(): Promise<void> {
    this.#atStart = new Set([...this.#apiServices.all()].map((apiService) => apiService.metadata.name ?? ''));
    const ends = [
      ...this.#sources.map((source) => source.onChange(() => this.#sourceChanged(source))),
      this.#apiServices.onChange(({ after, name }) => {
        // The event of a creation may follow the deletion of its CRD.
        const isManaged = after?.metadata.labels?.[automanagedLabel] !== undefined;
        if (after === undefined || isManaged || this.#desired.has(name)) this.#changed();
      }),
    ];
    this.#stop.signal.addEventListener('abort', () => ends.forEach((end) => end()), { once: true });
    this.#changed();
    await this.#running;
  }

  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  /** The versions of a CRD are added one after the other: they are compared once. */
  #sourceChanged(source: ManagedSource): void {
    if (this.#changedSources.has(source)) return;
    this.#changedSources.add(source);
    queueMicrotask(() => {
      this.#changedSources.delete(source);
      if (this.#hasOtherVersions(source)) this.#changed();
    });
  }

  /** Most changes of kinds change no version. */
  #hasOtherVersions(source: ManagedSource): boolean {
    const versions = source.groupVersions?.();
    const text = versions?.map(({ group, version }) => `${group}/${version}`).join();
    if (text !== undefined && text === this.#versions.get(source)) return false;
    if (text !== undefined) this.#versions.set(source, text);
    return true;
  }

  #changed(): void {
    this.#again = true;
    this.#running ??= this.#run().finally(() => (this.#running = undefined));
  }

  async #run(): Promise<void> {
    while (this.#again && !this.#stop.signal.aborted) {
      this.#again = false;
      try {
        await this.#sync();
      } catch (error) {
        this.#deps.log.warn('local APIServices could not be registered', { error });
        await new Promise((resolve) => setTimeout(resolve, 1_000).unref());
        this.#again = true;
      }
    }
  }

  async #sync(): Promise<void> {
    this.#desired = await this.#expected();
    await pause();
    const managed = [...this.#apiServices.all()].filter(
      (a) => a.metadata.labels?.[automanagedLabel] !== undefined,
    );
    const names = new Set([...this.#desired.keys(), ...managed.map((a) => a.metadata.name ?? '')]);
    const actions: { name: string; action: Action }[] = [];
    for (const name of names) {
      actions.push({ name, action: this.#decide(name) });
      const paused = pause();
      if (paused) await paused;
    }
    const due = actions.filter(({ action }) => action !== 'nothing');
    for (let i = 0; i < due.length; i += registeredAtOnce)
      await this.#write(due.slice(i, i + registeredAtOnce));
    for (const name of names) this.#synced.add(name);
  }

  async #write(due: readonly { name: string; action: Action }[]): Promise<void> {
    await Promise.all([
      this.#create(due.filter(({ action }) => action === 'create').map(({ name }) => name)),
      ...due.map(async ({ action, name }) => {
        if (action === 'update' || action === 'delete') await this.#replace(name, action);
      }),
    ]);
  }

  async #expected(): Promise<Map<string, Desired>> {
    const wanted = new Map<string, Desired>();
    for (const source of this.#sources) {
      for (const { group, version } of source.groupVersions?.() ?? versionsOf(await source.groups())) {
        if (group === apiRegistrationGroup) continue;
        const builtin = builtinPriority(group, version);
        const manage = builtin === undefined ? 'true' : 'onstart';
        const name = apiServiceName({ group, version });
        wanted.set(name, { group, version, manage, priority: builtin ?? customPriority });
      }
    }
    return wanted;
  }

  #decide(name: string): Action {
    const desired = this.#desired.get(name);
    const current = this.#apiServices.get(name);
    const synced = this.#synced.has(name);
    if (current === undefined && desired === undefined) return 'nothing';
    if (desired?.manage === 'onstart' && synced) return 'nothing';
    if (current === undefined) return 'create';
    const manage = current.metadata.labels?.[automanagedLabel];
    if (manage !== 'onstart' && manage !== 'true') return 'nothing';
    if (manage === 'onstart' && (!this.#atStart.has(name) || synced)) return 'nothing';
    if (desired === undefined) return 'delete';
    return deepEqual(current.spec, specOf(desired)) ? 'nothing' : 'update';
  }

  /** Creates APIServices together. If another process is faster, the event of that creation calls `#changed`. */
  async #create(names: readonly string[]): Promise<void> {
    const entries = names.flatMap((name) => {
      const desired = this.#desired.get(name);
      return desired === undefined ? [] : [{ name, object: this.#localApiService(name, desired) }];
    });
    const encoded = entries.map(async ({ name, object }) => ({
      key: this.#objects.key('', name),
      value: await this.#objects.encode(object),
    }));
    await createMissing(this.#deps.store, await Promise.all(encoded));
  }

  #localApiService(name: string, desired: Desired): ApiService {
    const now = this.#deps.clock.now();
    const time = formatTime(now);
    const apiService: ApiService = {
      kind: 'APIService',
      apiVersion: `${apiRegistrationGroup}/v1`,
      metadata: {
        name,
        uid: randomUUID(),
        creationTimestamp: time,
        labels: { [automanagedLabel]: desired.manage },
      },
      spec: specOf(desired),
      status: { conditions: [localCondition(time)] },
    };
    return withCreator(apiService, { manager: 'kube-apiserver', now }) as ApiService;
  }

  async #replace(name: string, action: 'update' | 'delete'): Promise<void> {
    const current = await this.#objects.read('', name);
    const desired = this.#desired.get(name);
    if (current === undefined) return;
    if (action === 'delete') await this.#objects.remove(current);
    else if (desired) {
      const apiService = current.object as ApiService;
      const conditions = [
        availableCondition(apiService) ?? localCondition(apiService.metadata.creationTimestamp ?? ''),
      ];
      await this.#objects.update(current, {
        ...apiService,
        spec: specOf(desired),
        status: { conditions },
      } as ApiService);
    }
  }
}

const specOf = ({ group, version, priority }: Desired): ApiService['spec'] => ({
  ...(group === '' ? {} : { group }),
  version,
  ...priority,
});

const versionsOf = (groups: readonly GroupDiscovery[]): GroupVersion[] =>
  groups.flatMap(({ metadata: { name: group = '' }, versions }) =>
    versions.map(({ version }) => ({ group, version })),
  );
