import { nullLogger } from '@annex/runtime';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { group, startDiscovery } from './discovery.fixture.ts';
import { type RemoteSource, remoteSource } from './remote-source.ts';
import type { RemoteRequest } from './sources.ts';

let app: Awaited<ReturnType<typeof startDiscovery>>;
let source: RemoteSource;
let refresh: () => void;
const statuses: number[] = [];

beforeEach(async () => {
  statuses.length = 0;
  app = await startDiscovery(() => {
    throw new Error('there are no extension servers');
  });
  source = remoteSource({
    async fetch({ path, headers }: RemoteRequest) {
      const answer = await app.get(path, headers as Record<string, string>);
      statuses.push(answer.status);
      const all = Object.fromEntries(answer.headers);
      return { status: answer.status, headers: all, body: Buffer.from(await answer.arrayBuffer()) };
    },
    log: nullLogger,
    refreshOn: (listener) => ((refresh = listener), () => undefined),
  });
});
afterEach(async () => {
  source.stop();
  await app.stop();
});

const document = { openapi: '3.0.0', info: {}, paths: {}, components: { schemas: {} } };

it('shows what the app in the other process serves', async () => {
  app.source.list = [group('', 'v1'), group('a.io', 'v1')];
  app.source.documents = { 'apis/a.io/v1': document };
  await source.start();
  const groups = await source.groups();
  expect(groups.map(({ metadata }) => metadata.name)).toEqual([undefined, 'a.io']);
  expect(await source.openapiPaths()).toEqual(['apis/a.io/v1']);
  expect(source.openapiHash?.('apis/a.io/v1')).toMatch(/^[0-9A-F]{128}$/);
  expect(await source.openapi('apis/a.io/v1')).toEqual(document);
  expect(await source.openapi('apis/none/v1')).toBeUndefined();
});

it('tells its listeners of changes, and of nothing else', async () => {
  app.source.list = [group('a.io', 'v1')];
  await source.start();
  let changes = 0;
  const changed = Promise.withResolvers<void>();
  source.onChange(() => {
    changes++;
    changed.resolve();
  });
  statuses.length = 0;
  refresh();
  refresh();
  app.source.list = [group('a.io', 'v1'), group('b.io', 'v1')];
  app.source.changed();
  refresh();
  await changed.promise;
  expect(changes).toBe(1);
  expect((await source.groups()).map(({ metadata }) => metadata.name)).toEqual(['a.io', 'b.io']);
});
