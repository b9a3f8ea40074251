import { requireTools } from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runCommand } from '../suites/command.ts';
import { type ContainerProject, startContainers } from './container-project.ts';
import { startOutsideExtension } from './outside-extension.ts';
import { podman, tryPodman } from './podman.ts';

const megabyte = 1_000_000;
const suite = 'the services of deploy/compose.yaml in containers';

describe.runIf(requireTools(suite, 'podman', 'runc', 'iptables', 'kubectl'))(suite, () => {
  let project: ContainerProject;
  beforeAll(async () => {
    project = await startContainers();
  });
  afterAll(() => project?.[Symbol.asyncDispose]());

  const staying = () => project.services.filter(({ stays }) => stays);
  const kubectl = async (args: string[], input?: unknown) =>
    runCommand('kubectl', [`--kubeconfig=${project.kubeconfig}`, ...args], {
      env: process.env,
      timeout: 60_000,
      ...(input === undefined ? {} : { input: JSON.stringify(input) }),
    });

  it('makes an image below 150 MB, without a shell and a package manager', async () => {
    const image = project.images.get('annex')!;
    expect(Number(await podman('image', 'inspect', '--format={{.Size}}', image))).toBeLessThan(
      150 * megabyte,
    );
    for (const command of ['sh', 'npm', 'apt']) {
      const { code, text } = await tryPodman('run', '--rm', '--network=none', image, command);
      expect({ code, text }).toMatchObject({ code: 127, text: expect.stringContaining('not found') });
    }
  });

  it('are all healthy in less than 450 MB', async () => {
    process.stdout.write(`all healthy after ${Math.round(project.startedInMs)} ms\n`);
    for (const service of staying()) expect(await service.isHealthy(), service.name).toBe(true);
    const stats = await podman('stats', '--no-stream', '--format={{.Name}} {{.MemUsage}}');
    const used = staying().map(({ container }) => {
      const [, amount = ''] = new RegExp(`^${container} ([\\d.]+)MB`, 'm').exec(stats) ?? [];
      return Number(amount);
    });
    process.stdout.write(`${stats}\n`);
    expect(used.every((amount) => amount > 0)).toBe(true);
    expect(used.reduce((sum, amount) => sum + amount, 0)).toBeLessThan(450);
  });

  it('serve kubectl', async () => {
    expect(await kubectl(['create', 'configmap', 'a', '--from-literal=b=c'])).toMatchObject({ code: 0 });
    expect((await kubectl(['get', 'configmap', 'a', '-o', 'jsonpath={.data.b}'])).output).toBe('c');
  });

  it('forward requests to an extension API server outside, with the certificate of the front proxy and the user', async () => {
    await using extension = await startOutsideExtension();
    for (const manifest of extension.manifests)
      expect(await kubectl(['create', '--filename=-'], manifest)).toMatchObject({ code: 0 });
    const name = 'apiservice/v1.outside.example.com';
    expect(await kubectl(['wait', '--for=condition=Available', '--timeout=60s', name])).toMatchObject({
      code: 0,
    });
    const { output } = await kubectl(['get', '--raw=/apis/outside.example.com/v1/seen']);
    expect(JSON.parse(output)).toEqual({ certificate: 'front-proxy-client', user: 'admin' });
  });

  it('cannot write to their roots, and see only their own keys', async () => {
    const script = [
      `const fs = require('node:fs');`,
      `const fails = (action) => { try { action(); return 'works'; } catch (error) { return error.code; } };`,
      `console.log(JSON.stringify([`,
      `  fails(() => fs.writeFileSync('/a', '')), fails(() => fs.writeFileSync('/app/a', '')), fails(() => fs.writeFileSync('/tmp/a', '')),`,
      `  process.getuid(), fs.readdirSync('/keys/pki').includes('ca.key')]));`,
    ].join('');
    for (const { name, container } of staying()) {
      const output = await podman('exec', container, 'node', '-e', script);
      expect(JSON.parse(output), name).toEqual(['EROFS', 'EROFS', 'works', 1000, false]);
    }
  });

  it.each([
    ['controllers', 'reaches', 'front-proxy'],
    ['controllers', 'does not reach', 'object-storage'],
    ['controllers', 'does not reach', 'core-api'],
    ['core-api', 'reaches', 'object-storage'],
    ['object-storage', 'does not reach', 'controllers'],
  ])('the networks follow the architecture: %s %s %s', async (from, verdict, to) => {
    const script = `require('node:dns').lookup('${to}', (error) => process.exit(error ? 1 : 0))`;
    const { code } = await tryPodman('exec', project.find(from).container, 'node', '-e', script);
    expect(code).toBe(verdict === 'reaches' ? 0 : 1);
  });

  it('are restarted after a crash, one after the other, and keep what was stored', async () => {
    for (const service of staying()) {
      const before = await service.pid();
      await service.crash();
      const isRestarted = async () => {
        const pid = await service.pid();
        return pid !== before && pid > 0 && (await service.isHealthy());
      };
      await vi.waitUntil(isRestarted, { timeout: 120_000, interval: 200 });
      const isServed = async () => (await kubectl(['get', 'configmap', 'a'])).code === 0;
      await vi.waitUntil(isServed, { timeout: 120_000, interval: 200 });
    }
  });
});
