import { oldestNodes } from '@annex/runtime';
import { describe, expect, it } from 'vitest';
import { nodeOf } from '../runners/node-of.ts';
import { type HostileServer, startHostileWith } from './hostile-server.ts';

const nodes = oldestNodes
  .map((version) => ({ version, node: nodeOf(version) }))
  .filter(({ node }) => node !== undefined);

const secrets = 'GET /api/v1/namespaces/default/secrets HTTP/1.1';
const upgrade = ['Connection: upgrade', 'Upgrade: websocket'];

/** The status codes of a request with `Impersonate-User` as the line at this place. */
async function statusesOf(server: HostileServer, head: string[], place: number): Promise<number[]> {
  const lines = [...head, ...Array.from({ length: place - head.length }, () => 'a: b')];
  const { statuses } = await server.raw([...lines, 'Impersonate-User: nobody', '', ''].join('\r\n'));
  return statuses;
}

const configMaps = '/api/v1/namespaces/default/configmaps';

describe.each(nodes)('on Node $version', ({ node }) => {
  it('no header is dropped, heads can have 64 KiB, and a body is read whole', async () => {
    await using server = await startHostileWith({ node, ephemeral: true });
    const ordinary = [secrets, 'Host: annex', 'Connection: close'];
    const changing = [secrets, 'Host: annex', ...upgrade];
    // The head begins with the request line, so the header at place 1,000 is allowed.
    expect(await statusesOf(server, ordinary, 1000)).toEqual([403]);
    expect(await statusesOf(server, changing, 1000)).toEqual([403]);
    for (const place of [1001, 1002, 1024, 2001, 3001]) {
      expect(await statusesOf(server, ordinary, place), `header ${place}`).toEqual([431]);
      expect(await statusesOf(server, changing, place), `header ${place} of an upgrade`).toEqual([431]);
    }
    const large = ['GET /version HTTP/1.1', 'Host: annex', 'Connection: close', `a: ${'b'.repeat(60_000)}`];
    expect((await server.raw([...large, '', ''].join('\r\n'))).statuses).toEqual([200]);
    // A body that is complete before it is read has several chunks.
    const data = { value: 'x'.repeat(100_000) };
    expect(await server.make('POST', configMaps, { metadata: { name: 'chunks' }, data })).toMatchObject({
      data,
    });
    // Without Host.
    expect(await server.raw('GET /version HTTP/1.1\r\n\r\n')).toMatchObject({
      statuses: [400],
      closed: true,
    });
  });
});
