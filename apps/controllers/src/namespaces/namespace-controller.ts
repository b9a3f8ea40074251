import { deepEqual, formatTime, isReason, type KubeObject } from '@annex/machinery';
import type { Controller, ControllerDeps } from '../controller.ts';
import { type ApiResource, type Discovered, supports } from '../discovery/resource-discovery.ts';
import { type Outcome, WorkQueue } from '../work-queue.ts';
import { type DeletionReport, updatedConditions } from './conditions.ts';
import { deleteContent, isPods } from './content.ts';
import { type Namespace, namespacesPath } from './namespace.ts';

const finalizer = 'kubernetes';

/** Number of resources of a namespace that are emptied concurrently. */
const width = 8;

/** Empties namespaces that are being deleted, reports what blocks this, and removes their finalizer. */
export function namespaceController(deps: ControllerDeps): Controller {
  const namespaces = deps.informers.of<Namespace>(namespacesPath);
  const deletion = new NamespaceDeletion(deps);
  const queue = new WorkQueue<string>(
    {
      name: 'namespace',
      workers: 4,
      // Content is usually gone soon; kube retries after eight seconds.
      minBackoffMs: 25,
      maxBackoffMs: 8_000,
      // An attempt reads all remaining objects.
      rest: 1,
      work: (name) => deletion.sync(name),
    },
    deps,
  );
  const look = ({ metadata }: KubeObject) => {
    if (metadata.deletionTimestamp === undefined) return;
    queue.addAfter(metadata.name ?? '', deps.namespaceDeletionDelayMs);
  };
  namespaces.listen({
    added: look,
    modified(namespace, previous) {
      // The reports of attempts are changes too. They must not replace the backoff.
      if (isDue(namespace, previous)) look(namespace);
    },
  });
  return {
    start: () => void namespaces.start().then(() => queue.start()),
    stop: () => queue.stop(),
  };
}

/** True if a change begins a deletion, or changes what it waits for. */
const isDue = (changed: Namespace, previous: Namespace): boolean =>
  previous.metadata.deletionTimestamp === undefined ||
  previous.metadata.uid !== changed.metadata.uid ||
  !deepEqual(previous.spec ?? {}, changed.spec ?? {});

class NamespaceDeletion {
  readonly #deps: ControllerDeps;

  constructor(deps: ControllerDeps) {
    this.#deps = deps;
  }

  async sync(name: string): Promise<Outcome> {
    const { api } = this.#deps;
    const found = await api.find<Namespace>(`${namespacesPath}/${name}`);
    if (found === undefined || found.metadata.deletionTimestamp === undefined) return;
    if ((found.spec?.finalizers ?? []).length === 0) return;
    const namespace =
      found.status?.phase === 'Terminating'
        ? found
        : await this.#write(found, '/status', ({ status }) => ({
            status: { ...status, phase: 'Terminating' },
          }));
    const { report, isEmpty } = await this.#empty(namespace);
    const reported = await this.#report(namespace, report);
    const problems = [...(report.discovery === undefined ? [] : [report.discovery]), ...report.failures];
    if (problems.length > 0) throw new Error(problems.join('; '));
    if (!isEmpty) return 'again';
    await this.#write(reported, '/finalize', ({ spec }) => ({
      spec: { ...spec, finalizers: (spec?.finalizers ?? []).filter((one) => one !== finalizer) },
    })).catch((error: unknown) => {
      if (!isReason(error, 'NotFound')) throw error;
    });
  }

  /** Deletes the content of a namespace; Pods first, because they may use other objects. */
  async #empty({ metadata }: Namespace): Promise<{ report: DeletionReport; isEmpty: boolean }> {
    const { name = '', deletionTimestamp = '' } = metadata;
    const emptied = { namespace: name, sinceMs: this.#deps.clock.now() - Date.parse(deletionTimestamp) };
    const failures: string[] = [];
    const remaining = new Map<string, number>();
    const finalizers = new Map<string, number>();
    const { discovered, problem } = await this.#discover();
    const wanted = (discovered?.preferred ?? []).filter((one) => one.namespaced && supports(one, 'delete'));
    const pods = wanted.filter(isPods);
    const work = async (resource: ApiResource) => {
      try {
        const left = await deleteContent(this.#deps.api, resource, emptied);
        if (left.count === 0) return;
        remaining.set(`${resource.resource}.${resource.group}`, left.count);
        for (const [finalizer, count] of left.finalizers)
          finalizers.set(finalizer, (finalizers.get(finalizer) ?? 0) + count);
        if (left.unexplained) failures.push(unexpected(name, resource));
      } catch (error) {
        failures.push(error instanceof Error ? error.message : String(error));
      }
    };
    await sideBySide(pods, work);
    // As in kube, remaining objects are reported when the Pods are gone.
    if (remaining.size > 0) {
      const unnotified = { remaining: new Map(), finalizers: new Map() };
      return { report: { discovery: problem, failures, ...unnotified }, isEmpty: false };
    }
    const others = wanted.filter((one) => !isPods(one));
    await sideBySide(others, work);
    const report = { discovery: problem, failures, remaining, finalizers };
    return { report, isEmpty: remaining.size === 0 };
  }

  async #discover(): Promise<{ discovered?: Discovered; problem: string | undefined }> {
    try {
      const discovered = await this.#deps.resources.read();
      return { discovered, problem: staleMessage(discovered.stale) };
    } catch (error) {
      return { problem: error instanceof Error ? error.message : String(error) };
    }
  }

  async #report(namespace: Namespace, report: DeletionReport): Promise<Namespace> {
    const now = formatTime(this.#deps.clock.now());
    const change = ({ status }: Namespace) => {
      const conditions = updatedConditions(status?.conditions ?? [], report, now);
      return conditions && { status: { ...status, conditions } };
    };
    return await this.#write(namespace, '/status', change);
  }

  /** Writes a change to a subresource, and retries conflicts. Sends no write if nothing changes. */
  async #write(
    namespace: Namespace,
    subresource: string,
    change: (namespace: Namespace) => Partial<Namespace> | undefined,
  ): Promise<Namespace> {
    const path = `${namespacesPath}/${namespace.metadata.name}`;
    let latest = namespace;
    for (;;) {
      const changed = change(latest);
      if (changed === undefined) return latest;
      try {
        const body = { ...latest, ...changed };
        return await this.#deps.api.json<Namespace>({ method: 'PUT', path: path + subresource, body });
      } catch (error) {
        if (!isReason(error, 'Conflict')) throw error;
        latest = await this.#deps.api.json<Namespace>({ path });
        if (latest.metadata.uid !== namespace.metadata.uid) {
          throw new Error('namespace uid has changed across retries', { cause: error });
        }
      }
    }
  }
}

const unexpected = (namespace: string, { group, version, resource }: ApiResource): string =>
  `unexpected items still remain in namespace: ${namespace} for gvr: ${group}/${version}, Resource=${resource}`;

// client-go's messages.
function staleMessage(stale: ReadonlySet<string>): string | undefined {
  if (stale.size === 0) return undefined;
  const each = [...stale].map((version) => `${version}: stale GroupVersion discovery: ${version}`).sort();
  return `Discovery failed for some groups, ${stale.size} failing: unable to retrieve the complete list of server APIs: ${each.join(', ')}`;
}

async function sideBySide<T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> {
  const waiting = items.values();
  const worker = async () => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: width }, worker));
}
