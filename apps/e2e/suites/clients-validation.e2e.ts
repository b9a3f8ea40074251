import { Client, loadKubeconfig } from '@annex/client';
import { definitionManifest } from '@annex/testkit';
import { describe, expect, it, vi } from 'vitest';
import { startAnnex } from '../runners/start-annex.ts';
import { buildGoClients } from './clients/go-clients.ts';
import { runCommand } from './command.ts';
import { patienceMs } from './patience.ts';

const suite = 'the validation of kubectl';
const program = await buildGoClients(suite);

const group = 'validation.example.com';
const definition = definitionManifest({
  group,
  kind: 'CronTab',
  schema: {
    properties: {
      spec: {
        type: 'object',
        required: ['cronSpec'],
        properties: {
          cronSpec: { type: 'string' },
          replicas: { type: 'integer' },
          note: { type: 'string', nullable: true },
        },
      },
    },
  },
});
const name = 'com.example.validation.v1.CronTab';

describe.runIf(program !== undefined)(suite, () => {
  it('OAS-005 finds errors in a custom resource with the published schema, before the request', async () => {
    await using annex = await startAnnex({ ephemeral: true });
    const client = new Client(await loadKubeconfig(annex.kubeconfig));
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    await client.json({ method: 'POST', path, body: definition });
    await vi.waitUntil(
      async () => (await client.send({ path: '/openapi/v2' })).body.toString().includes(name),
      { timeout: patienceMs },
    );
    client.close();
    const objects = [
      { cronSpec: '* * * * *', replicas: 3, note: null },
      { cronSpec: '* * * * *', replicas: 'three' },
      { cronspec: '* * * * *' },
      [],
    ].map((spec) => ({ apiVersion: `${group}/v1`, kind: 'CronTab', metadata: { name: 'a' }, spec }));
    const { code, output, text } = await runCommand(
      program ?? '',
      ['validate', '-kubeconfig', annex.kubeconfig],
      { env: process.env, timeout: patienceMs, input: objects.map((one) => JSON.stringify(one)).join('\n') },
    );
    expect(code, text).toBe(0);
    expect(output.trim().split('\n')).toEqual([
      'valid',
      `ValidationError(CronTab.spec.replicas): invalid type for ${name}.spec.replicas: got "string", expected "integer"`,
      `[ValidationError(CronTab.spec): unknown field "cronspec" in ${name}.spec, ` +
        `ValidationError(CronTab.spec): missing required field "cronSpec" in ${name}.spec]`,
      `ValidationError(CronTab.spec): invalid type for ${name}.spec: got "array", expected "map"`,
    ]);
  });
});
