import { startAnnex as startInProcess, upConflicts, upOptions } from '@annex/cli';
import { type OperatorError, parseOptions } from '@annex/runtime';
import { createMemoryStore } from '@annex/storage';
import { TestFolder } from './test-folder.ts';
import { sharedKeys } from './key-cache.ts';
import { fillStore, type Snapshot } from './snapshot.ts';
import { TestAnnex } from './test-annex.ts';

/** Options of a new instance. */
export interface StartOptions {
  /** Options of `annex up`, as on its command line: `['--anonymous-auth=false']`. */
  args?: readonly string[];
  /** The initial content of the store. Default: the initial objects of every cluster. */
  from?: Snapshot;
  /** Nodes without kubelets: their number, or more about them. Pods on them run, and Jobs finish, without containers. */
  fakeNodes?: number | FakeNodesOptions;
  /** Names of schedulers that bind Pods to nodes, and files with a KubeSchedulerConfiguration. Default: none. */
  schedulers?: readonly string[];
}

/** Fake nodes, and what happens to the Pods on them. */
export interface FakeNodesOptions {
  /** The number of nodes, or NodeShapes and Nodes. Default: 1. */
  nodes?: number | readonly object[];
  /** Stages, which delay changes of Pods, prevent them, or let them fail. */
  stages?: readonly object[];
}

// The certificate of the server contains the first address of the default Service range.
const keyOptions = { subjectAltNames: ['127.0.0.1', '10.0.0.1'] };

// Later options have priority, so options of the caller override these.
const testOptions = ['--port=0', '--log-level=error'];

/**
 * Starts a whole Annex in this process, with an in-memory store and all controllers, on a free port of this machine. Resolves when requests
 * are served. Several instances can run concurrently. Throws an Error that lists all invalid options.
 *
 * @example
 * await using annex = await startAnnex();
 * await annex.admin.apply(readFileSync('crd.yaml', 'utf8'));
 * const jane = await annex.as({ user: 'jane' });
 */
export async function startAnnex(options: StartOptions = {}): Promise<TestAnnex> {
  const dir = await sharedKeys(keyOptions);
  const folder = new TestFolder();
  const store = createMemoryStore();
  if (options.from !== undefined) await fillStore(store, options.from);
  const args = [
    ...fakeNodeArgs(options.fakeNodes, folder),
    ...(options.schedulers ?? []).map((scheduler) => `--schedulers=${scheduler}`),
    ...(options.args ?? []),
  ];
  const running = await startInProcess(configOf(dir, args), {
    store,
    kubeconfig: folder.reserve('admin.kubeconfig'),
  });
  return new TestAnnex({ running, store, folder, start: (from) => startAnnex({ ...options, from }) });
}

function fakeNodeArgs(fakeNodes: StartOptions['fakeNodes'], folder: TestFolder): string[] {
  if (fakeNodes === undefined) return [];
  const { nodes = 1, stages = [] } = typeof fakeNodes === 'number' ? { nodes: fakeNodes } : fakeNodes;
  const file = (name: string, documents: readonly object[]) =>
    folder.write(name, documents.map((document) => JSON.stringify(document)).join('\n---\n'));
  return [
    `--fake-nodes=${typeof nodes === 'number' ? nodes : file('nodes.yaml', nodes)}`,
    ...(stages.length === 0 ? [] : [`--fake-node-stages=${file('stages.yaml', stages)}`]),
  ];
}

function configOf(dir: string, args: readonly string[]) {
  const own = testOptions.filter((option) => !args.some((arg) => arg.startsWith(option.split('=')[0] ?? '')));
  // The environment is not read: it is meant for processes.
  const parsed = parseOptions(
    upOptions,
    [`--data-dir=${dir}`, '--ephemeral', ...own, ...args],
    {},
    upConflicts,
  );
  if (parsed.kind === 'config') return parsed.config;
  const errors: readonly OperatorError[] = parsed.kind === 'errors' ? parsed.errors : [];
  throw new Error(errors.map(({ message }) => message).join('\n') || '--help works on the command line only');
}
