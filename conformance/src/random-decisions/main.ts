// Random clusters and Pods, decided by kube-scheduler and by our plugins: `npm run decisions -- --kube-scheduler PATH`.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { decodeConfiguration, type DryRun, dryRun } from '@annex/scheduler';
import { freePort, startProcess, tempFolder } from '@annex/testkit';
import { Cluster, Patch, pathOf } from '../scheduler/cluster.ts';
import { startExtender } from '../scheduler/extender-server.ts';
import { Schedulers } from '../scheduler/run-schedulers.ts';
import type { ScenarioObject } from '../scheduler/scenario.ts';
import { startAnnex } from '../server.ts';
import { decisionDifferences } from './compare-decisions.ts';
import { configurationOf, extenderSpecs } from './profiles.ts';
import { Random } from './random.ts';
import { otherNamespace, priorityClasses, randomScenario, runtimeClass } from './random-cluster.ts';
import { readObjects, ReferenceDecisions } from './reference-decisions.ts';

const { values } = parseArgs({
  options: {
    'kube-scheduler': { type: 'string', default: 'kube-scheduler' },
    count: { type: 'string', default: '2000' },
    seed: { type: 'string', default: '1' },
    storage: { type: 'string', default: '0.3' },
    devices: { type: 'string', default: '0.25' },
    verbose: { type: 'boolean', default: false },
  },
});

/** Milliseconds that kube-scheduler gets to receive the objects, by attempt. Its watches are independent. */
const settleMs = [120, 500, 1_500];
const chances = { storage: Number(values.storage), devices: Number(values.devices) };
const counts = { bound: 0, waiting: 0, refused: 0, preempting: 0, scenarios: 0 };

await using server = await startAnnex();
using schedulers = new Schedulers(server);
const cluster = new Cluster(schedulers.access('admin'));
for (const object of [...priorityClasses, runtimeClass, otherNamespace])
  await cluster.call('POST', pathOf({ kind: object.kind }), object);
// Claims of the namespace may have admin access.
await cluster.call(
  'PATCH',
  pathOf({ kind: 'Namespace', name: 'default' }),
  new Patch({
    metadata: { labels: { 'resource.kubernetes.io/admin-access': 'true' } },
  }),
);
await using extenders = new AsyncDisposableStack();
const addresses = new Map<string, string>();
for (const [name, spec] of Object.entries(extenderSpecs))
  addresses.set(name, extenders.use(await startExtender(spec, cluster)).url);
const configuration = JSON.stringify(configurationOf(server.kubeconfig, addresses));
const config = await decodeConfiguration(configuration);
using folder = tempFolder('annex-decisions-');
const configFile = join(folder.path, 'config.json');
writeFileSync(configFile, configuration);
const port = await freePort();
await using reference = await startProcess(values['kube-scheduler'], {
  args: [
    `--config=${configFile}`,
    `--authentication-kubeconfig=${server.kubeconfig}`,
    `--authorization-kubeconfig=${server.kubeconfig}`,
    '--bind-address=127.0.0.1',
    `--secure-port=${port}`,
  ],
  until: /Serving securely on/,
});
const decisions = await ReferenceDecisions.start(cluster.client);
let failed = 0;
for (let seed = Number(values.seed); seed < Number(values.seed) + Number(values.count); seed++) {
  const differences = await playSettled(seed);
  counts.scenarios++;
  if (differences.length > 0) {
    failed++;
    process.stdout.write(`FAIL seed ${seed}\n${differences.map((line) => `    ${line}\n`).join('')}`);
  }
  if (counts.scenarios % 100 === 0) process.stdout.write(`${JSON.stringify({ ...counts, failed })}\n`);
}
decisions.stop();
cluster.close();
process.stdout.write(`kube-scheduler of process ${reference.pid}: ${JSON.stringify(counts)}\n`);
process.stdout.write(`${counts.scenarios - failed} passed, ${failed} failed\n`);
process.exitCode = failed === 0 ? 0 : 1;

/** Plays a scenario; with differences again, and slower. */
async function playSettled(seed: number): Promise<string[]> {
  let differences: string[] = [];
  for (const settle of settleMs) {
    differences = await play(seed, settle).catch((error: unknown) => [String(error)]);
    await cluster.sweep();
    if (differences.length === 0) break;
  }
  return differences;
}

async function play(seed: number, settle: number): Promise<string[]> {
  const { objects, ending, pods } = randomScenario(new Random(seed), chances);
  for (const object of objects) await cluster.create(object);
  for (const place of ending) await cluster.remove(place, undefined);
  await new Promise((resolve) => setTimeout(resolve, settle));
  for (const [index, pod] of pods.entries()) {
    const before = await readObjects(cluster);
    const created = await cluster.create(pod);
    const decision = await decisions.decisionAbout(created.metadata.uid ?? '');
    const decide = (): Promise<DryRun> => dryRun(before, created, config);
    const differences = await decisionDifferences(decision, decide, (count) => decisions.victims(count));
    if (values.verbose) process.stdout.write(`${seed} ${JSON.stringify(decision)}\n`);
    if (differences.length > 0) return [`Pod ${JSON.stringify(pod)}`, ...differences];
    if (decision.waits && !(await decisions.isBound(created.metadata.uid ?? ''))) {
      counts.waiting++;
      return [];
    }
    if (decision.node !== '') counts.bound++;
    else counts[decision.nominatedNode === '' ? 'refused' : 'preempting']++;
    if (decision.node === '') await remove(created);
    else await markStarted(created, index);
    if (decision.nominatedNode !== '')
      for (const victim of await cluster.list('Pod'))
        if (victim.metadata.deletionTimestamp !== undefined) await remove(victim);
  }
  return [];
}

/** Sets a start time, as a kubelet would. kube-scheduler orders victims that have not started by chance. */
async function markStarted({ metadata: { namespace, name } }: ScenarioObject, index: number): Promise<void> {
  const status = { phase: 'Running', startTime: `2026-01-01T01:${10 + index}:00Z` };
  const path = pathOf({ kind: 'Pod', namespace, name, subresource: 'status' });
  await cluster.call('PATCH', path, new Patch({ status }));
}

function remove({ metadata: { namespace, name } }: ScenarioObject): Promise<void> {
  return cluster.remove({ kind: 'Pod', namespace, name }, 0);
}
