import { isDeepStrictEqual } from 'node:util';
import { Cluster, Patch, pathOf } from './cluster.ts';
import { eventDifferences, podDifferences, spreadDifferences, valueAt } from './differences.ts';
import { type ExtenderServer, startExtender } from './extender-server.ts';
import { Observer, shortName } from './observer.ts';
import { type RunningScheduler, Schedulers, type ServerAddress } from './run-schedulers.ts';
import type {
  Expectation,
  HttpCheck,
  Scenario,
  ScenarioStep,
  SchedulerStart,
  SeenEvent,
} from './scenario.ts';

const defaultScheduler = {
  config: {
    apiVersion: 'kubescheduler.config.k8s.io/v1',
    kind: 'KubeSchedulerConfiguration',
    leaderElection: { leaderElect: false },
  },
};

/** Milliseconds. The scheduler receives objects by watches, and no response tells when it has them. */
const delays = { objects: 150, sweep: 100, volumes: 1_200, recheck: 100, hold: 300, timeout: 15_000 };

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Plays scenarios one after the other on one server. */
export class ScenarioPlayer implements AsyncDisposable {
  readonly #schedulers: Schedulers;
  readonly #cluster: Cluster;
  #shared: RunningScheduler | undefined;

  constructor(server: ServerAddress) {
    this.#schedulers = new Schedulers(server);
    this.#cluster = new Cluster(this.#schedulers.access('admin'));
  }

  /** Plays a scenario; resolves to the differences. The server is empty afterwards. */
  async play(scenario: Scenario): Promise<string[]> {
    if (scenario.schedulers !== undefined) await this.#stopShared();
    else if (this.#shared === undefined) await this.#startShared();
    const observer = await Observer.start(this.#cluster.client);
    const run = new Run({ scenario, observer, schedulers: this.#schedulers, cluster: this.#cluster });
    try {
      return await run.play();
    } catch (error) {
      return [(error as Error).message];
    } finally {
      await run.stop();
      this.#schedulers.forget();
      observer.stop();
      const waits = [...observer.pods().values()].some(
        ({ node, nominatedNodeName }) => nominatedNodeName && !node,
      );
      await this.#cluster.sweep();
      // A Pod that waits for its volumes is checked each second. Its failure must not affect the next Pod of its name.
      await sleep(waits ? delays.volumes : delays.sweep);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stopShared();
    this.#cluster.close();
    this.#schedulers[Symbol.dispose]();
  }

  async #startShared(): Promise<void> {
    this.#shared = await this.#schedulers.start(defaultScheduler, this.#cluster, new Map());
    await this.#schedulers.ready(this.#shared);
  }

  async #stopShared(): Promise<void> {
    await this.#shared?.process.stop();
    this.#shared = undefined;
  }
}

interface RunParts {
  scenario: Scenario;
  observer: Observer;
  schedulers: Schedulers;
  cluster: Cluster;
}

/** One scenario in progress. */
class Run {
  readonly #parts: RunParts;
  readonly #running = new Map<string, RunningScheduler>();
  readonly #extenders = new Map<string, ExtenderServer>();
  readonly #knownEvents: (SeenEvent & { optional?: boolean })[] = [];
  #passing = false;

  constructor(parts: RunParts) {
    this.#parts = parts;
  }

  async play(): Promise<string[]> {
    const { scenario, observer, cluster } = this.#parts;
    for (const [name, spec] of Object.entries(scenario.extenders ?? {})) {
      const extender = await startExtender(spec, cluster);
      this.#extenders.set(name, extender);
      observer.nameAddress(extender.url, `{${name}}`);
    }
    for (const object of scenario.objects ?? []) await cluster.create(object);
    const later = scenario.steps.flatMap(({ start }) =>
      start === undefined ? [] : [typeof start === 'string' ? start : start.scheduler],
    );
    for (const name of Object.keys(scenario.schedulers ?? {}))
      if (!later.includes(name)) await this.#start({ scheduler: name });
    if (scenario.objects !== undefined) await sleep(delays.objects);
    for (const [index, step] of scenario.steps.entries()) {
      const differences = await this.#step(step);
      if (differences.length > 0) return differences.map((line) => `step ${index + 1}: ${line}`);
    }
    return [];
  }

  async stop(): Promise<void> {
    for (const { process } of this.#running.values()) await process.stop();
    for (const extender of this.#extenders.values()) await extender[Symbol.asyncDispose]();
  }

  async #step(step: ScenarioStep): Promise<string[]> {
    const { cluster } = this.#parts;
    for (const object of step.create ?? []) await cluster.create(object);
    for (const place of step.delete ?? []) await cluster.remove(place, place.gracePeriodSeconds);
    if (step.patch !== undefined) {
      const { patch, type, namespace = 'default', ...place } = step.patch;
      await cluster.call('PATCH', pathOf({ ...place, namespace }), new Patch(patch, type));
    }
    if (step.kubelet !== undefined) await this.#endTerminating(step.kubelet);
    if (step.sleep !== undefined) await sleep(step.sleep * 1_000);
    if (step.stop !== undefined) await this.#stop(step.stop);
    if (step.start !== undefined)
      return await this.#start(typeof step.start === 'string' ? { scheduler: step.start } : step.start);
    if (step.http !== undefined) return await this.#http(step.http);
    return step.expect === undefined ? [] : await this.#expect(step.expect);
  }

  async #endTerminating(names: 'all' | readonly string[]): Promise<void> {
    const { cluster } = this.#parts;
    for (const { metadata } of await cluster.list('Pod')) {
      const { namespace, name = '', deletionTimestamp } = metadata;
      if (deletionTimestamp !== undefined && (names === 'all' || names.includes(shortName(namespace, name))))
        await cluster.remove({ kind: 'Pod', namespace, name }, 0);
    }
  }

  async #start({ scheduler: name, ready = true, refused }: SchedulerStart): Promise<string[]> {
    const { scenario, schedulers, cluster } = this.#parts;
    const addresses = new Map([...this.#extenders].map(([extender, { url }]) => [extender, url]));
    const started = schedulers.start(scenario.schedulers?.[name] ?? {}, cluster, addresses);
    if (refused === undefined) {
      const running = await started;
      this.#running.set(name, running);
      if (ready) await schedulers.ready(running);
      return [];
    }
    const result = await started.catch((error: unknown) => (error as Error).message);
    if (typeof result !== 'string') {
      await result.process.stop();
      return ['the scheduler accepts a configuration that kube-scheduler refuses'];
    }
    return squeezed(result).includes(squeezed(refused.message))
      ? []
      : [`the error is ${result}, not ${refused.message}`];
  }

  async #stop(which: string | { scheduler: string }): Promise<void> {
    const name = typeof which === 'string' ? which : which.scheduler;
    await this.#running.get(name)?.process.stop();
    this.#running.delete(name);
  }

  async #http({ scheduler, path, as, status, body, contains = [] }: HttpCheck): Promise<string[]> {
    const running = this.#running.get(scheduler);
    if (running === undefined) return [`the scheduler ${scheduler} does not run`];
    const end = Date.now() + delays.timeout;
    for (;;) {
      const found = await this.#parts.schedulers.get(running, path, as);
      const differences = [
        ...(found.status === status ? [] : [`${path}: the status is ${found.status}, not ${status}`]),
        ...(body === undefined || found.text.trim() === body.trim()
          ? []
          : [`${path}: the body is ${JSON.stringify(found.text)}, not ${JSON.stringify(body)}`]),
        ...contains.filter((text) => !found.text.includes(text)).map((text) => `${path}: ${text} is missing`),
      ];
      if (differences.length === 0 || Date.now() > end) return differences;
      await sleep(delays.recheck);
    }
  }

  /** Waits until the state is reached, and lasts. */
  async #expect(expected: Expectation): Promise<string[]> {
    const { observer } = this.#parts;
    const end = Date.now() + (expected.timeout === undefined ? delays.timeout : expected.timeout * 1_000);
    const hold = expected.hold === undefined ? delays.hold : expected.hold * 1_000;
    let since: number | undefined;
    for (;;) {
      const { changed } = observer;
      const differences = await this.#differences(expected);
      const now = Date.now();
      if (differences.length > 0 && now > end) return differences;
      since = differences.length > 0 ? undefined : (since ?? now);
      if (since !== undefined && now - since >= hold) break;
      await Promise.race([changed, sleep(since === undefined ? delays.recheck : since + hold - now)]);
    }
    // Failures before this state depend on timing, also those that are reported later.
    this.#passing ||= expected.passing === true;
    this.#knownEvents.push(...(expected.events ?? []));
    return [];
  }

  async #differences(expected: Expectation): Promise<string[]> {
    const { observer } = this.#parts;
    const pods = this.#changedPods();
    const found = [
      ...podDifferences(expected.pods ?? {}, pods),
      ...eventDifferences({
        expected: [...this.#knownEvents, ...(expected.events ?? [])],
        seen: observer.events(),
        pods,
        passing: this.#passing || expected.passing === true,
      }),
      ...this.#callDifferences(expected),
    ];
    return found.length > 0
      ? found
      : [...(await this.#spreadDifferences(expected, pods)), ...(await this.#valueDifferences(expected))];
  }

  /** Pods that were created without a node, and the others that changed. */
  #changedPods() {
    const { scenario, observer } = this.#parts;
    const placed = new Set(
      (scenario.objects ?? [])
        .filter(({ kind, spec }) => kind === 'Pod' && spec?.nodeName !== undefined)
        .map(({ metadata }) => shortName(metadata.namespace, metadata.name ?? '')),
    );
    const hasChanged = ({
      gone,
      terminating,
      disruptionTarget,
    }: {
      gone?: boolean;
      terminating?: boolean;
      disruptionTarget?: object;
    }) => gone === true || terminating === true || disruptionTarget !== undefined;
    return new Map([...observer.pods()].filter(([name, state]) => !placed.has(name) || hasChanged(state)));
  }

  #callDifferences({ extenderCalls }: Expectation): string[] {
    if (extenderCalls === undefined) return [];
    const sorted = (calls: readonly object[]) => calls.map(sortedJson).toSorted();
    return Object.entries(extenderCalls).flatMap(([name, calls]) => {
      const seen = sorted(this.#extenders.get(name)?.calls ?? []);
      return isDeepStrictEqual(seen, sorted(calls))
        ? []
        : [`the calls of ${name} are ${seen.join()}, not ${sorted(calls).join()}`];
    });
  }

  async #spreadDifferences({ spread }: Expectation, pods: ReturnType<Observer['pods']>): Promise<string[]> {
    if (spread === undefined) return [];
    const nodes = new Map(
      (await this.#parts.cluster.list('Node')).map(({ metadata }) => [metadata.name, metadata]),
    );
    return spreadDifferences(spread, pods, (node, key) => nodes.get(node)?.labels?.[key]);
  }

  async #valueDifferences({ also = [] }: Expectation): Promise<string[]> {
    const { cluster, observer } = this.#parts;
    const differences: string[] = [];
    for (const { get, at, value } of also) {
      const found = observer.normalized(valueAt(await cluster.call('GET', get, undefined, [404]), at));
      if (!isDeepStrictEqual(found, JSON.parse(JSON.stringify(value ?? null))))
        differences.push(
          `${get} at ${at.join('.')} is ${JSON.stringify(found)}, not ${JSON.stringify(value)}`,
        );
    }
    return differences;
  }
}

/** JSON with sorted fields, at every depth. */
const sortedJson = (value: object): string =>
  JSON.stringify(value, (_key, part: unknown) =>
    typeof part === 'object' && part !== null && !Array.isArray(part)
      ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1)))
      : part,
  );

const squeezed = (text: string): string => text.replaceAll(/\s+/g, ' ');
