// Kubernetes' end-to-end specs of workloads and scheduling on Annex with its scheduler and its fake nodes: `npm run e2e:upstream`.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { encodeYaml } from '@annex/machinery';
import { freePort, startProcess, tempFolder } from '@annex/testkit';
import { excludedSpecs, type SpecGroup, specGroups } from './specs.ts';

const { values } = parseArgs({
  options: {
    /** The folder of e2e.test and kube-controller-manager; `apps/e2e/clients/kubernetes/build-e2e.sh` and `build.sh` build them. */
    binaries: { type: 'string' },
    /** A text that the names of groups contain. */
    only: { type: 'string', default: '' },
  },
});

const root = fileURLToPath(new URL('../../../', import.meta.url));
const binaries =
  values.binaries ?? process.env.KUBERNETES_BINARIES ?? join(root, 'node_modules/.cache/go/kubernetes');
const concurrentGroups = 4;

const stage = (name: string, images: readonly string[], rest: object) => ({
  apiVersion: 'annex/v1alpha1',
  kind: 'Stage',
  metadata: { name },
  spec: {
    resourceRef: { apiGroup: 'v1', kind: 'Pod' },
    selector: {
      matchExpressions: [{ key: '.spec.containers.[].image', operator: 'In', values: [...images] }],
    },
    ...rest,
  },
});

/** What the specs expect of images. */
const stages = [
  stage('missing', ['webserver:404', 'foo:non-existent'], { transition: 'Pull', failure: {} }),
  stage('pause', ['registry.k8s.io/pause:3.10.2'], { transition: 'Exit', hold: true }),
];

for (const name of ['e2e.test', 'kube-controller-manager'])
  if (!existsSync(join(binaries, name)))
    throw new Error(`${name} is not in ${binaries}: apps/e2e/clients/kubernetes/build-e2e.sh and build.sh`);

using folder = tempFolder('annex-upstream-');
const [port, managerPort] = [await freePort(), await freePort()];
const file = (name: string): string => join(folder.path, name);
const kubeconfig = file('admin.kubeconfig');
writeFileSync(file('stages.yaml'), stages.map((one) => encodeYaml(one)).join('---\n'));
await using annex = await startProcess(process.execPath, {
  args: [
    join(root, 'apps/cli/bin/annex.js'),
    'up',
    `--data-dir=${folder.path}`,
    `--port=${port}`,
    '--ephemeral',
    '--controllers=',
    '--fake-nodes=3',
    `--fake-node-stages=${file('stages.yaml')}`,
    '--schedulers=default-scheduler',
  ],
  until: /annex is ready/,
});
await using manager = await startProcess(join(binaries, 'kube-controller-manager'), {
  args: [
    `--kubeconfig=${kubeconfig}`,
    `--authentication-kubeconfig=${kubeconfig}`,
    `--authorization-kubeconfig=${kubeconfig}`,
    `--secure-port=${managerPort}`,
    '--bind-address=127.0.0.1',
    '--leader-elect=false',
    `--service-account-private-key-file=${file('pki/sa.key')}`,
    `--root-ca-file=${file('pki/ca.crt')}`,
    '--use-service-account-credentials=true',
  ],
  until: /Serving securely on/,
});

interface SpecReport {
  State: string;
  LeafNodeType: string;
  LeafNodeText: string;
  ContainerHierarchyTexts: string[] | null;
  Failure?: { Message: string };
}

let failures = 0;

/** Runs the specs of a group, and prints how many passed and what failed. */
async function run({ name, focus, isSerial = false }: SpecGroup): Promise<void> {
  const report = file(`${name.replaceAll(' ', '-')}.json`);
  const skipped = excludedSpecs.flatMap(({ names }) => names);
  await using specs = await startProcess(join(binaries, 'e2e.test'), {
    args: [
      `--kubeconfig=${kubeconfig}`,
      '--provider=skeleton',
      `--ginkgo.focus=${focus}`,
      `--ginkgo.skip=${[...skipped, ...(isSerial ? [] : ['\\[Serial\\]'])].join('|')}`,
      `--ginkgo.json-report=${report}`,
      '--ginkgo.no-color',
      '--ginkgo.timeout=2h',
    ],
    cwd: folder.path,
  });
  await specs.exited;
  const [suite] = JSON.parse(readFileSync(report, 'utf8')) as { SpecReports: SpecReport[] }[];
  const ran = (suite?.SpecReports ?? []).filter(
    ({ State, LeafNodeType }) => State !== 'skipped' && LeafNodeType === 'It',
  );
  const failed = ran.filter(({ State }) => State !== 'passed');
  failures += failed.length;
  process.stdout.write(`${name}: ${ran.length - failed.length} of ${ran.length} passed\n`);
  for (const { LeafNodeText, ContainerHierarchyTexts, Failure } of failed)
    process.stdout.write(
      `  FAIL ${[...(ContainerHierarchyTexts ?? []), LeafNodeText].join(' ')}\n    ${Failure?.Message.split('\n', 1)[0]}\n`,
    );
}

const chosen = specGroups.filter(({ name }) => name.includes(values.only));
const beside = chosen.filter(({ isSerial }) => isSerial !== true);
const work = async (): Promise<void> => {
  for (let group = beside.shift(); group !== undefined; group = beside.shift()) await run(group);
};
await Promise.all(Array.from({ length: concurrentGroups }, work));
for (const group of chosen.filter(({ isSerial }) => isSerial === true)) await run(group);
process.stdout.write(`processes ${annex.pid} and ${manager.pid}: ${failures} specs failed\n`);
process.exitCode = failures === 0 ? 0 : 1;
