import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ClientConfig, loadKubeconfig } from '@annex/client';
import { startProcess, tempFolder } from '@annex/testkit';
import { Api } from './api.ts';
import { definition, version, widget } from './objects.ts';
import { residentMiB } from './process-facts.ts';
import { until } from './load.ts';

/** Number of objects in the long list. */
export const listLength = 5000;

/** A server under load, with the objects that the rows created. */
export class Target implements AsyncDisposable {
  readonly name: string;
  readonly api: Api;
  readonly config: ClientConfig;
  readonly pids: readonly number[];
  /** Memory when the run began. */
  readonly residentAtStart: number | undefined;
  /** The API group of this run. */
  readonly group = `${randomBytes(4).toString('hex')}.bench.annex.example`;
  readonly #stop: () => Promise<void>;
  readonly #made = new Map<string, Promise<string>>();
  readonly #definitions: string[] = [];
  #counter = 0;

  constructor(
    name: string,
    config: ClientConfig,
    pids: readonly number[],
    stop = async (): Promise<void> => {},
  ) {
    this.name = name;
    this.api = new Api(config);
    this.config = config;
    this.pids = pids;
    this.residentAtStart = pids.length > 0 ? residentMiB(pids) : undefined;
    this.#stop = stop;
  }

  /** Returns a number that is unique in this run and target. */
  next(): number {
    return this.#counter++;
  }

  /** Returns the path of the objects of a custom resource. */
  path(plural: string, group = this.group): string {
    return `/apis/${group}/${version}/namespaces/default/${plural}`;
  }

  async define(plural: string, group = this.group): Promise<void> {
    this.#definitions.push(`${plural}.${group}`);
    await this.api.must('POST', definitions, definition(group, plural));
  }

  /** Resolves when objects of that kind are served. */
  async served(plural: string, group = this.group): Promise<void> {
    await until(async () => (await this.api.send('GET', this.path(plural, group))).status === 200);
  }

  /** Creates a kind and some objects of it, once; resolves to their path. Their names are `name-0` and so on. */
  collection(plural: string, count: number): Promise<string> {
    let made = this.#made.get(plural);
    if (made === undefined) this.#made.set(plural, (made = this.#fill(plural, count)));
    return made;
  }

  async #fill(plural: string, count: number): Promise<string> {
    await this.define(plural);
    await this.served(plural);
    const path = this.path(plural);
    let next = 0;
    const create = async (): Promise<void> => {
      for (let i = next++; i < count; i = next++)
        await this.api.must('POST', path, this.object(plural, `name-${i}`, i));
    };
    await Promise.all(Array.from({ length: 16 }, create));
    return path;
  }

  /** Returns the body of an object of a kind of this run. */
  object(plural: string, name: string, size: number): string {
    return widget(this.group, plural[0]?.toUpperCase() + plural.slice(1, -1), name, size);
  }

  /** Deletes the objects of the run. */
  async clean(): Promise<void> {
    const names = this.#definitions.splice(0);
    const remove = async (): Promise<void> => {
      for (let name = names.pop(); name !== undefined; name = names.pop()) {
        await this.api.send('DELETE', `${definitions}/${name}`);
      }
    };
    await Promise.all(Array.from({ length: 4 }, remove));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.api.close();
    await this.#stop();
  }
}

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const root = fileURLToPath(new URL('../../', import.meta.url));

/** Returns the path of the program `annex` in the files of a commit. */
export const programIn = (files: string): string => join(files, 'apps/cli/bin/annex.js');

export const annexProgram = programIn(root);

/** Starts `annex up`, and resolves when it prints that it is ready. */
export function startAnnex(
  dir: string,
  args: readonly string[] = [],
  nodeArgs: readonly string[] = [],
  program = annexProgram,
) {
  return startProcess(process.execPath, {
    args: [...nodeArgs, program, 'up', '--data-dir', dir, '--port', '0', ...args],
    until: /annex is ready in/,
  });
}

/** Starts an Annex for this run, with its store on disk and without controllers. */
export async function openAnnex(cpuProfDir: string | undefined): Promise<Target> {
  const folder = tempFolder('annex-bench-');
  const nodeArgs = cpuProfDir === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${cpuProfDir}`];
  const annex = await startAnnex(folder.path, ['--controllers=', '--log-level', 'error'], nodeArgs);
  const config = await loadKubeconfig(join(folder.path, 'admin.kubeconfig'));
  return new Target('annex', config, [annex.pid], async () => {
    await annex.stop();
    folder[Symbol.dispose]();
  });
}

/** Connects to a server that is running already. */
export async function openPeer(
  name: string,
  kubeconfig: string,
  url: string | undefined,
  pids: readonly number[],
): Promise<Target> {
  const config = await loadKubeconfig(kubeconfig);
  const target = new Target(name, url === undefined ? config : { ...config, server: url }, pids);
  await target.api.must('GET', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions?limit=1');
  return target;
}
