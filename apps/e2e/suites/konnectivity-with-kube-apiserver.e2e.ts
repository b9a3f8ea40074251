import { Client, loadKubeconfig } from '@annex/client';
import {
  apiServiceManifest,
  externalServiceManifest,
  requireTools,
  validatingWebhookManifest,
} from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { requireReference, startReference } from '../runners/reference-runner.ts';
import type { Runner } from '../runners/runner.ts';
import { egressConfiguration } from './konnectivity/egress-configuration.ts';
import { hiddenPath, startHiddenBackend, type HiddenBackend } from './konnectivity/hidden-backend.ts';
import {
  type Maker,
  type Mode,
  type Transport,
  TunnelPrograms,
  type TunnelServer,
  upstreamPrograms,
} from './konnectivity/programs.ts';
import { patienceMs } from './patience.ts';

// https://kubernetes.io/docs/tasks/extend-kubernetes/setup-konnectivity/

const suite = 'a real kube-apiserver behind the konnectivity server and agent';
const makers: Maker[] = [
  'annex',
  ...(requireTools(`${suite} of upstream`, ...upstreamPrograms) ? (['upstream'] as const) : []),
];

/** Each selection uses another form of the tunnel. */
const selections = {
  cluster: ['grpc', 'uds'],
  controlplane: ['http-connect', 'uds'],
  etcd: ['http-connect', 'tcp'],
} as const satisfies Record<string, readonly [Mode, Transport]>;
type Selection = keyof typeof selections;
const names = Object.keys(selections) as Selection[];

describe.runIf(requireReference(suite)).each(makers)(`${suite}: the programs of %s`, (maker) => {
  const opened = new AsyncDisposableStack();
  const servers = new Map<Selection, TunnelServer>();
  let backend: HiddenBackend;
  let caBundle: string;
  let reference: Runner;
  let client: Client;
  beforeAll(async () => {
    const programs = opened.use(new TunnelPrograms());
    backend = opened.use(await startHiddenBackend(programs.ca));
    caBundle = Buffer.from(programs.ca.certificate).toString('base64');
    await Promise.all(
      names.map(async (name) => {
        const [mode, transport] = selections[name];
        servers.set(name, (await programs.tunnel({ maker, mode, transport }, { maker })).server);
      }),
    );
    const form = (name: Selection) => {
      const [mode, transport] = selections[name];
      return [name, { mode, transport, frontend: servers.get(name)!.frontend }] as const;
    };
    const file = egressConfiguration(programs, Object.fromEntries(names.map(form)));
    reference = await startReference(`--egress-selector-config-file=${file}`);
    opened.defer(() => reference.stop());
    client = new Client(await loadKubeconfig(reference.kubeconfig));
    opened.defer(() => client.close());
    await create('/api/v1/namespaces/default/services', externalServiceManifest('hidden'));
  }, 180_000);
  afterAll(() => opened.disposeAsync());

  const create = (path: string, body: object) => client.json({ method: 'POST', path, body });
  const connections = async (name: Selection): Promise<number> => {
    const metrics = await (await fetch(`${servers.get(name)!.health}/metrics`)).text();
    return Number(
      /^konnectivity_network_proxy_server_dial_duration_seconds_count (\d+)/m.exec(metrics)?.[1] ?? 0,
    );
  };

  it('KON-005 the objects of kube-apiserver pass through HTTP CONNECT over mutual TLS', async () => {
    expect(await connections('etcd')).toBeGreaterThan(0);
  });

  it('KON-002 KON-009 an extension API server is reached by gRPC over a Unix socket', async () => {
    const registration = { group: 'hidden.example.com', service: 'hidden', port: backend.port };
    await create('/apis/apiregistration.k8s.io/v1/apiservices', apiServiceManifest(registration));
    const found = await vi.waitUntil(
      async () => {
        const response = await client.send({ path: `${hiddenPath}/things` });
        return response.status === 200 && response.body.toString();
      },
      { timeout: patienceMs },
    );
    expect(found).toBe('{"kind":"Seen","apiVersion":"v1"}');
    expect(await connections('cluster')).toBeGreaterThan(0);
  });

  it('a webhook is reached by HTTP CONNECT over a Unix socket', async () => {
    const before = await connections('controlplane');
    const webhook = { url: `https://127.0.0.1:${backend.port}/`, caBundle };
    await create(
      '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations',
      validatingWebhookManifest('by-url', webhook),
    );
    const refusal = async (): Promise<string> => {
      const path = '/api/v1/namespaces/default/configmaps?dryRun=All';
      return await create(path, { metadata: { name: 'a' } }).then(() => 'created', String);
    };
    await vi.waitFor(async () => expect(await refusal()).toContain('denied the request: hook'), {
      timeout: patienceMs,
    });
    expect(await connections('controlplane')).toBeGreaterThan(before);
  });
});
