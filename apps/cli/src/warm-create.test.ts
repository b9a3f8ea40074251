import { Session } from 'node:inspector/promises';
import type { Client } from '@annex/client';
import { definitionManifest } from '@annex/testkit';
import { expect, test } from 'vitest';
import { runAnnex } from './running-annex.fixture.ts';

const definition = definitionManifest({
  group: 'example.com',
  kind: 'Widget',
  names: { singular: 'widget', listKind: 'WidgetList' },
  schema: {
    properties: {
      spec: { type: 'object', properties: { size: { type: 'integer', minimum: 1, default: 3 } } },
    },
  },
});

const path = '/apis/example.com/v1/namespaces/default/widgets';

async function createWidget(client: Client, name: string): Promise<void> {
  const body = { apiVersion: 'example.com/v1', kind: 'Widget', metadata: { name }, spec: { size: 4 } };
  await client.json({ method: 'POST', path, body });
}

/** Resolves to the source files in which a function ran, without those of the client. */
async function filesCrossed(run: () => Promise<void>): Promise<string[]> {
  const session = new Session();
  session.connect();
  await session.post('Profiler.enable');
  await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  await session.post('Profiler.takePreciseCoverage');
  await run();
  const { result } = await session.post('Profiler.takePreciseCoverage');
  session.disconnect();
  const ran = result.filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0));
  const files = ran.flatMap(({ url }) => /(?:libs|apps)\/[^/]+\/src\/.*\.ts$/.exec(url)?.[0] ?? []);
  return [...new Set(files)].filter((file) => !file.startsWith('libs/client/') && !file.endsWith('.test.ts'));
}

test('a second create of a custom resource crosses few files', async () => {
  const annex = await runAnnex();
  const client = annex.admin;
  try {
    const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
    await client.json({ method: 'POST', path: definitions, body: definition });
    await expect.poll(async () => (await client.send({ path })).status).toBe(200);
    // Before that, the server still writes the status.
    await expect
      .poll(() => client.json({ path: `${definitions}/${definition.metadata.name}` }))
      .toMatchObject({ status: { conditions: [{}, { type: 'Established', status: 'True' }] } });
    await createWidget(client, 'first');
    // Concurrent work of this process (a timer, an earlier test) does not cross the same files each time.
    const runs: string[][] = [];
    for (const name of ['second', 'third', 'fourth', 'fifth']) {
      runs.push(await filesCrossed(() => createWidget(client, name)));
    }
    const files = runs.reduce((common, run) => common.filter((file) => run.includes(file)));
    expect(files).toContain('libs/server/src/write/store.ts');
    // This number may only grow with a new duty: see docs/decisions/0009-files-of-a-request.md.
    expect(files.length, files.join('\n')).toBeLessThanOrEqual(most);
  } finally {
    await annex.stop();
  }
});

const most = 179;
