import { readFileSync } from 'node:fs';
import { createTarget, findKubectls, type Kubectl, requireTools, transcriptTools } from '@annex/testkit';
import { type Case, playRecordingCase, playSessionCase } from './cases.ts';
import { removeDeletedNamespaces } from './deleted-namespaces.ts';
import type { ConformanceOptions } from './options.ts';
import { ScenarioPlayer } from './scheduler/play-scenario.ts';
import { readScenario } from './scheduler/scenario.ts';
import { startReplicas } from './replicas.ts';
import { type PlayedServer, type SessionServer, startAnnex } from './server.ts';

/** The result of a case. Skipped cases have no result. */
export interface Outcome {
  played: Case;
  /** The differences; `undefined` for a skipped case. */
  problems: string[] | undefined;
  /** The differences of the first play, if it was played again. */
  before?: string[];
}

/** Sessions and scenarios need servers of their own. Each server runs cold code first, so more of them cost more than they save. */
const maxServers = 2;

type Report = (outcome: Outcome) => void;

/** Plays cases concurrently, and reports each when it ends. Cases in `listed` are expected to differ. */
export async function playAll(
  cases: readonly Case[],
  options: ConformanceOptions,
  listed: ReadonlySet<string>,
  report: Report,
): Promise<void> {
  const recordings = cases.filter(({ kind }) => kind === 'recording');
  const sessions = cases.filter(({ kind }) => kind === 'session');
  const scenarios = cases.filter(({ kind }) => kind === 'scenario');
  if (recordings.length > 0) await playRecordings(recordings, options, listed, report);
  if (sessions.length > 0) await playSessions(sessions, options, report);
  if (scenarios.length > 0 && options.replicas === 1 && options.etcdServers === undefined)
    await playScenarios(scenarios, options, report);
}

function providedServer({ server, pki, kubeconfig }: ConformanceOptions): PlayedServer | undefined {
  if (server === undefined || pki === undefined) return undefined;
  return { url: server, pki, kubeconfig, [Symbol.asyncDispose]: () => Promise.resolve() };
}

const start = ({ replicas, etcdServers, onDisk }: ConformanceOptions): Promise<SessionServer> =>
  replicas === 1 && etcdServers === undefined ? startAnnex({ onDisk }) : startReplicas(replicas, etcdServers);

async function playRecordings(
  cases: readonly Case[],
  options: ConformanceOptions,
  listed: ReadonlySet<string>,
  report: Report,
): Promise<void> {
  await using server = providedServer(options) ?? (await start(options));
  const target = createTarget(server.urls ?? server.url, server.pki);
  const playAndReport = async (played: Case) => {
    const play = () => playRecordingCase(played, target);
    const reset = () => removeDeletedNamespaces(played, target);
    report(listed.has(played.name) ? { played, problems: await play() } : await settled(played, play, reset));
  };
  const [alone, concurrent] = partition(cases, changesOtherPods);
  await inParallel(options.jobs, concurrent, playAndReport);
  await inParallel(1, alone, playAndReport);
  target.close();
}

/** True if a recording creates a default PriorityClass: the Pods of recordings that are played at the same time get its priority. */
const changesOtherPods = ({ path }: Case): boolean =>
  readFileSync(path, 'utf8').includes('globalDefault: true');

function partition<T>(items: readonly T[], isFirst: (item: T) => boolean): [first: T[], second: T[]] {
  return [items.filter(isFirst), items.filter((item) => !isFirst(item))];
}

/**
 * Plays a case with differences again: managedFields are sorted by seconds, and writes that were recorded within one second may be in two
 * seconds here; sessions have commands that end after a second. Real differences occur again.
 */
async function settled(
  played: Case,
  play: () => Promise<string[]>,
  reset = () => Promise.resolve(),
): Promise<Outcome> {
  const first = await play();
  if (first.length === 0) return { played, problems: first };
  await reset();
  return { played, problems: await play(), before: first };
}

// Sessions list all objects of a server, so concurrent sessions need separate servers. A session removes its objects at the end.
async function playSessions(
  cases: readonly Case[],
  options: ConformanceOptions,
  report: Report,
): Promise<void> {
  const kubectls = chosen(await findKubectls(), options.kubectl);
  const skip = () => cases.forEach((played) => report({ played, problems: undefined }));
  if (!requireTools('kubectl sessions', ...transcriptTools)) return skip();
  if (kubectls.length === 0) {
    process.stderr.write('SKIPPED kubectl sessions: no kubectl found in PATH\n');
    return skip();
  }
  const queue = [...cases];
  const playAgainst = async (server: SessionServer) => {
    for (let played = queue.shift(); played !== undefined; played = queue.shift())
      report(
        await settled(played, () =>
          playSessionCase(played, server, kubectls, options.kubectl.includes('all')),
        ),
      );
  };
  const provided = providedServer(options);
  if (provided?.kubeconfig !== undefined)
    return playAgainst({ ...provided, kubeconfig: provided.kubeconfig });
  if (provided !== undefined) return skip();
  await Promise.all(
    Array.from({ length: Math.min(options.jobs, maxServers) }, async () => {
      await using server = await start(options);
      await playAgainst(server);
    }),
  );
}

// A scenario counts all nodes of its server. Those with the default scheduler come first, so that each server starts it once.
async function playScenarios(
  cases: readonly Case[],
  options: ConformanceOptions,
  report: Report,
): Promise<void> {
  const read = cases.map((played) => ({ played, scenario: readScenario(played.path) }));
  const queue = read.toSorted(
    (a, b) => Number(a.scenario.schedulers !== undefined) - Number(b.scenario.schedulers !== undefined),
  );
  const playAgainst = async (server: PlayedServer) => {
    await using player = new ScenarioPlayer(server);
    for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
      const { played, scenario } = next;
      report(await settled(played, () => player.play(scenario)));
    }
  };
  const provided = providedServer(options);
  if (provided !== undefined) return playAgainst(provided);
  await Promise.all(
    Array.from({ length: Math.min(options.jobs, maxServers, queue.length) }, async () => {
      await using server = await startAnnex();
      await playAgainst(server);
    }),
  );
}

function chosen(found: readonly Kubectl[], wanted: readonly string[]): Kubectl[] {
  const picked = found.filter(
    ({ version }, i) =>
      wanted.includes('all') ||
      wanted.includes(version) ||
      (i === 0 && wanted.includes('oldest')) ||
      (i === found.length - 1 && wanted.includes('newest')),
  );
  return picked;
}

async function inParallel<T>(
  jobs: number,
  items: readonly T[],
  run: (item: T) => Promise<void>,
): Promise<void> {
  const queue = [...items];
  const worker = async () => {
    for (let item = queue.shift(); item !== undefined; item = queue.shift()) await run(item);
  };
  await Promise.all(Array.from({ length: Math.min(jobs, items.length) }, worker));
}
