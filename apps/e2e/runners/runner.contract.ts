import { readdirSync } from 'node:fs';
import { Client, loadKubeconfig } from '@annex/client';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Runner, RunnerOptions } from './runner.ts';

/** The behavior of every runner that suites rely on. */
export function runnerContract(
  name: string,
  start: (options?: RunnerOptions) => Promise<Runner>,
  facts: { processes: readonly string[]; process: string },
): void {
  describe(name, () => {
    let annex: Runner;
    let client: Client;

    beforeAll(async () => {
      annex = await start();
      client = new Client(await loadKubeconfig(annex.kubeconfig));
    });
    afterAll(async () => {
      client.close();
      await annex.stop();
    });

    const configMaps = '/api/v1/namespaces/default/configmaps';
    const create = (called: string) =>
      client.json({
        method: 'POST',
        path: configMaps,
        body: { metadata: { name: called }, data: { a: 'b' } },
      });
    const data = async (called: string) =>
      (await client.json<{ data: object }>({ path: `${configMaps}/${called}` })).data;

    it('is ready, and allows the administrator everything', async () => {
      expect((await client.send({ path: '/readyz' })).body.toString()).toBe('ok');
      const { items } = await client.json<{ items: unknown[] }>({
        path: '/apis/apiregistration.k8s.io/v1/apiservices',
      });
      expect(items.length).toBeGreaterThan(20);
    });

    it('names its processes, its keys and its URL', async () => {
      expect([...annex.pids().keys()]).toEqual(facts.processes);
      expect(readdirSync(annex.pki)).toEqual(
        expect.arrayContaining(['ca.crt', 'ca.key', 'front-proxy-ca.key']),
      );
      expect((await loadKubeconfig(annex.kubeconfig)).server).toBe(annex.url);
    });

    it('keeps data and address over a restart', async () => {
      await create('before');
      await annex.restart();
      expect(await data('before')).toEqual({ a: 'b' });
    });

    it('keeps acknowledged writes when a process is killed', async () => {
      await create('acknowledged');
      await annex.kill(facts.process);
      await expect(create('refused')).rejects.toThrow();
      await annex.restart('SIGKILL', facts.process);
      expect(await data('acknowledged')).toEqual({ a: 'b' });
    });
  });
}
