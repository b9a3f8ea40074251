import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { loadKubeconfig } from '@annex/client';
import { tempFolder } from '@annex/testkit';
import { residentMiB } from './process-facts.ts';
import type { Row } from './scenario.ts';
import { startAnnex, Target } from './target.ts';

const many = 1000;

/** Registers `count` kinds in ten groups with limited concurrency, then waits until the objects of each are served. */
export async function register(target: Target, count: number, concurrency: number): Promise<void> {
  const names = Array.from({ length: count }, (_, i) => [`kind${i}s`, `g${i % 10}.${target.group}`] as const);
  let next = 0;
  const work = async (): Promise<void> => {
    for (let name = names[next++]; name !== undefined; name = names[next++]) await target.define(...name);
  };
  await Promise.all(Array.from({ length: concurrency }, work));
  for (const name of names) await target.served(...name);
}

/** The cost of many CRDs in a separate Annex. */
interface Costs {
  createMs: number;
  createdMiB: number;
  readyMs: number;
  restartedMiB: number;
  openApiMs: number;
}

async function measure(): Promise<Costs> {
  using folder = tempFolder('annex-bench-');
  const created = await onAnnex(folder.path, async (target) => {
    const begin = performance.now();
    await register(target, many, 16);
    return { createMs: performance.now() - begin, createdMiB: residentMiB(target.pids) };
  });
  return await onAnnex(folder.path, async (target, readyMs) => {
    await setTimeout(1000);
    const restartedMiB = residentMiB(target.pids);
    const begin = performance.now();
    await target.api.must('GET', '/openapi/v2');
    return { ...created, readyMs, restartedMiB, openApiMs: performance.now() - begin };
  });
}

async function onAnnex<T>(dir: string, run: (target: Target, readyMs: number) => Promise<T>): Promise<T> {
  const begin = performance.now();
  const annex = await startAnnex(dir, ['--controllers=', '--log-level', 'error']);
  const readyMs = performance.now() - begin;
  const config = await loadKubeconfig(join(dir, 'admin.kubeconfig'));
  await using target = new Target('annex', config, [annex.pid], async () => void (await annex.stop()));
  return await run(target, readyMs);
}

let costs: Promise<Costs> | undefined;

const row = (name: string, measures: string, unit: Row['unit'], cost: keyof Costs): Row => ({
  name,
  measures,
  unit,
  rounds: 1,
  skip: (target) => (target.name === 'annex' ? undefined : 'the bench does not start the peer'),
  run: async () => ({ values: [(await (costs ??= measure()))[cost]] }),
});

/** Rows of a separate Annex with 1,000 CustomResourceDefinitions, measured together. */
export const manyDefinitions: readonly Row[] = [
  row(
    `${many} definitions`,
    `from the first POST of ${many} CustomResourceDefinitions, 16 at once, until the objects of all are served; a separate Annex`,
    'ms',
    'createMs',
  ),
  row(`memory ${many} definitions`, 'resident memory after that', 'MiB', 'createdMiB'),
  row(
    `ready ${many} definitions`,
    'from starting a process on that directory to its ready line',
    'ms',
    'readyMs',
  ),
  row(`memory ready ${many} definitions`, 'resident memory a second later', 'MiB', 'restartedMiB'),
  row(`OpenAPI v2 ${many} definitions`, 'the first GET of /openapi/v2 then', 'ms', 'openApiMs'),
];
