import { Client, loadKubeconfig } from '@annex/client';
import { fileURLToPath } from 'node:url';
import { startProcess, tempFolder } from '@annex/testkit';
import { expect, it, vi } from 'vitest';
import { startProcesses } from '../runners/compose-runner.ts';
import type { Runner } from '../runners/runner.ts';
import { startSingle } from '../runners/single-runner.ts';
import { patienceMs } from './patience.ts';

const module = fileURLToPath(new URL('stuck-on-signal.ts', import.meta.url));

const folder = tempFolder();

// Far more than a start takes on a busy machine: it loads code without a turn of the event loop.
const maxStall = '8s';

const stalled = (kind: string) => ({
  NODE_OPTIONS: `--import=${module}`,
  ANNEX_MAX_LOOP_STALL: maxStall,
  ANNEX_TEST_STALL: kind,
});

/** exit(3) runs beside the main thread: a process seldom ends by a signal instead (decision 0017). */
const repeated = { retry: 2 };

it(
  'a single process that is stuck in a regular expression logs its stack, ends with exit code 70, and starts again',
  repeated,
  async () => {
    await using annex = await startSingle({ env: stalled('regex') });
    await useApi(annex);
    expect(await annex.kill('annex', 'SIGUSR2')).toBe(70);
    expect(stuckLines(annex)).toEqual([
      expect.stringMatching(/ exitCode=70 stack="at matchForever \(\/\S+stuck-on-signal\.ts:7:\d+\)\\nat /),
    ]);
    await annex.restart();
    await useApi(annex);
  },
);

it(
  'each of the separate processes that is stuck logs its stack as JSON and ends with exit code 70, and all start again',
  repeated,
  async () => {
    await using annex = await startProcesses({ env: stalled('wait') });
    await useApi(annex);
    const names = [...annex.pids().keys()].sort();
    const codes = await Promise.all(names.map((name) => annex.kill(name, 'SIGUSR2')));
    expect(codes).toEqual(names.map(() => 70));
    const found = stuckLines(annex).map((line) => [line.split(' | ')[0], logged(line)]);
    expect(found.sort()).toEqual(
      names.map((name) => [
        name,
        expect.objectContaining({
          level: 'error',
          exitCode: 70,
          // On a machine with much other work, the wait is not interrupted in time.
          stack: expect.stringMatching(
            /^at waitForever \(\/\S+stuck-on-signal\.ts:11:\d+\)\n|inside of a native call/,
          ) as string,
        }),
      ]),
    );
    await annex.restart();
    await useApi(annex);
  },
);

it(
  'an extension server of the SDK that is stuck logs its stack and ends with exit code 70',
  repeated,
  async () => {
    await using annex = await startSingle({ ephemeral: true });
    const main = fileURLToPath(
      new URL('../../../examples/hello-extension/hello-extension.ts', import.meta.url),
    );
    await using server = await startProcess(process.execPath, {
      args: [
        main,
        `--kubeconfig=${annex.kubeconfig}`,
        '--secure-port=0',
        `--cert-dir=${folder.path}`,
        `--max-loop-stall=${maxStall}`,
      ],
      env: { ...process.env, ...stalled('wait') },
      until: /is ready/,
    });
    server.kill('SIGUSR2');
    expect(await server.exited).toBe(70);
    expect(server.lines.join('\n')).toMatch(/the event loop is stuck.*waitForever/);
  },
);

const stuckLines = (annex: Runner) =>
  annex.lines().filter((line) => line.includes('the event loop is stuck'));

const logged = (line: string): unknown => JSON.parse(line.slice(line.indexOf('{')));

async function useApi(annex: Runner): Promise<void> {
  const client = new Client(await loadKubeconfig(annex.kubeconfig));
  const works = async () => (await client.send({ path: '/api/v1/namespaces/default' })).status === 200;
  await vi.waitUntil(works, { timeout: patienceMs });
  client.close();
}
