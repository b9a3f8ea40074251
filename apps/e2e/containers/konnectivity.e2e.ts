import { requireTools } from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runCommand } from '../suites/command.ts';
import { type ContainerProject, startContainers } from './container-project.ts';
import { startOutsideExtension } from './outside-extension.ts';

const suite = 'the profile konnectivity of deploy/compose.yaml in containers';

describe.runIf(requireTools(suite, 'podman', 'runc', 'iptables', 'kubectl'))(suite, () => {
  let project: ContainerProject;
  beforeAll(async () => {
    project = await startContainers({
      profiles: ['konnectivity'],
      environment: { ANNEX_EGRESS_SELECTOR_CONFIG_FILE: '/keys/egress-selector-configuration.yaml' },
    });
  });
  afterAll(() => project?.[Symbol.asyncDispose]());

  const kubectl = (args: string[], input?: unknown) =>
    runCommand('kubectl', [`--kubeconfig=${project.kubeconfig}`, ...args], {
      env: process.env,
      timeout: 60_000,
      ...(input === undefined ? {} : { input: JSON.stringify(input) }),
    });

  it('KON-001 an extension API server is reached from the network of the agent, until the agent stops', async () => {
    await using extension = await startOutsideExtension();
    for (const manifest of extension.manifests)
      expect(await kubectl(['create', '--filename=-'], manifest)).toMatchObject({ code: 0 });
    const waited = ['wait', '--for=condition=Available', '--timeout=60s'];
    expect(await kubectl([...waited, 'apiservice/v1.outside.example.com'])).toMatchObject({ code: 0 });
    const path = '--raw=/apis/outside.example.com/v1/seen';
    expect(JSON.parse((await kubectl(['get', path])).output)).toMatchObject({ user: 'admin' });
    const agent = project.find('konnectivity-agent');
    const address = await agent.inspect('{{range .NetworkSettings.Networks}}{{.IPAddress}}{{end}}');
    expect(extension.clients).toEqual(new Set([address]));
    await agent.stop();
    await vi.waitUntil(async () => (await kubectl(['get', path])).code !== 0, { timeout: 60_000 });
    expect((await kubectl(['get', path])).text).toMatch(/No agent available|unavailable/i);
  });
});
