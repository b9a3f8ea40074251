import { once } from 'node:events';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { Client, loadKubeconfig } from '@annex/client';
import { apiServiceManifest, externalServiceManifest, requireTools } from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Runner } from '../runners/runner.ts';
import { startSingle } from '../runners/single-runner.ts';
import { egressConfiguration } from './konnectivity/egress-configuration.ts';
import {
  type Maker,
  type Mode,
  type Transport,
  type TunnelAgent,
  TunnelPrograms,
  type TunnelServer,
  upstreamPrograms,
} from './konnectivity/programs.ts';
import { patienceMs } from './patience.ts';

// https://kubernetes.io/docs/tasks/extend-kubernetes/setup-konnectivity/

const makers: Maker[] = [
  'annex',
  ...(requireTools('the egress selector with upstream programs', ...upstreamPrograms)
    ? (['upstream'] as const)
    : []),
];
const forms: [Mode, Transport][] = [
  ['grpc', 'uds'],
  ['http-connect', 'uds'],
  ['http-connect', 'tcp'],
];
const cases = makers.flatMap((maker) => forms.map((form) => [maker, ...form] as const));

const group = 'tunneled.example.com';
const path = `/apis/${group}/v1/things`;

describe.each(cases)('the egress selector with the programs of %s, %s over %s', (maker, mode, transport) => {
  let programs: TunnelPrograms;
  let server: TunnelServer;
  let agent: TunnelAgent;
  let extension: Server;
  let annex: Runner;
  let client: Client;
  beforeAll(async () => {
    programs = new TunnelPrograms();
    ({ agent, server } = await programs.tunnel({ maker, mode, transport }, { maker }));
    const host = 'tunneled.default.svc';
    const { certificate: cert, key } = programs.ca.issue({ commonName: host, dnsNames: [host] });
    extension = createServer({ cert, key }, (_request, response) => {
      response.setHeader('Content-Type', 'application/json').end('{"kind":"Seen","apiVersion":"v1"}');
    });
    await once(extension.listen(0, '127.0.0.1'), 'listening');
    const file = egressConfiguration(programs, { cluster: { mode, transport, frontend: server.frontend } });
    annex = await startSingle({ ephemeral: true, args: [`--egress-selector-config-file=${file}`] });
    client = new Client(await loadKubeconfig(annex.kubeconfig));
    const { port } = extension.address() as AddressInfo;
    const registration = { group, service: 'tunneled', port, ca: programs.ca.certificate };
    const create = (at: string, body: object) => client.json({ method: 'POST', path: at, body });
    await create('/api/v1/namespaces/default/services', externalServiceManifest('tunneled'));
    await create('/apis/apiregistration.k8s.io/v1/apiservices', apiServiceManifest(registration));
  });
  afterAll(async () => {
    client?.close();
    await annex?.stop();
    extension?.closeAllConnections();
    extension?.close();
    await programs[Symbol.asyncDispose]();
  });

  const response = async (status: number): Promise<string> => {
    const body = await vi.waitUntil(
      async () => {
        const found = await client.send({ path });
        return found.status === status && found.body.toString();
      },
      { timeout: patienceMs },
    );
    return body;
  };

  it('KON-002 KON-004 KON-005 KON-006 KON-008 KON-009 KON-017 KON-020 an extension server is reached through the agent', async () => {
    expect(await response(200)).toBe('{"kind":"Seen","apiVersion":"v1"}');
    const { body } = await client.send({ path: '/metrics' });
    const labels = `protocol="${mode.replace('-', '_')}",transport="${transport}"`;
    expect(body.toString()).toMatch(
      new RegExp(`apiserver_egress_dialer_dial_duration_seconds_count\\{${labels}\\} [1-9]`),
    );
  });

  const conditionSaysWhy = async (): Promise<void> => {
    const at = `/apis/apiregistration.k8s.io/v1/apiservices/v1.${group}`;
    const { body } = await client.send({ path: at });
    expect(body.toString()).toMatch(/No agent available/i);
  };

  /** The reason is in the response until the availability check sees it, and then in the condition. */
  it('traffic stops when the agent stops, and the response or the condition says why', async () => {
    await agent.process.stop('SIGKILL');
    const unavailable = await response(503);
    if (!/No agent available/i.test(unavailable)) await vi.waitFor(conditionSaysWhy, { timeout: patienceMs });
  });
});
