import type { JsonObject } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { patch, servedWebhooks, setData } from './served-webhooks.fixture.ts';

const { create, install, replies, request, sent } = servedWebhooks();

describe('mutating webhooks', () => {
  it('see the changes of earlier webhooks', async () => {
    await install('Mutating', { name: 'first' }, { name: 'second' });
    replies.set('/first', () => setData('a', '1'));
    replies.set('/second', ({ object }) => setData('b', String((object?.data as JsonObject).a)));
    expect((await create()).body.data).toEqual({ a: '1', b: '1', x: 'y' });
  });

  it('are called again with reinvocationPolicy IfNeeded after later changes by others', async () => {
    await install('Mutating', { name: 'again', reinvocationPolicy: 'IfNeeded' }, { name: 'later' });
    replies.set('/later', () => setData('late', 'x'));
    await create();
    expect(sent.get('/again')?.map(({ object }) => object?.data)).toEqual([
      { x: 'y' },
      { late: 'x', x: 'y' },
    ]);
    expect(sent.get('/later')).toHaveLength(1);
  });

  it('are called once without later changes', async () => {
    await install('Mutating', { name: 'only', reinvocationPolicy: 'IfNeeded' });
    replies.set('/only', () => setData('a', '1'));
    await create();
    expect(sent.get('/only')).toHaveLength(1);
  });

  it('cannot add unknown fields, and get defaults', async () => {
    await install('Mutating', {
      name: 'ports',
      rules: [{ operations: ['CREATE'], apiGroups: [''], apiVersions: ['v1'], resources: ['services'] }],
    });
    replies.set('/ports', () =>
      patch(
        { op: 'add', path: '/spec/unknown', value: 1 },
        { op: 'add', path: '/spec/ports/-', value: { name: 'b', port: 81 } },
      ),
    );
    const { body } = await request('POST', '/api/v1/namespaces/ns/services', {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 's' },
      spec: { ports: [{ name: 'a', port: 80 }] },
    });
    expect(body.spec).not.toHaveProperty('unknown');
    expect((body.spec as { ports: unknown[] }).ports[1]).toMatchObject({
      name: 'b',
      protocol: 'TCP',
      port: 81,
    });
  });

  it.each([
    ['a patch that does not apply', patch({ op: 'remove', path: '/data/none' }), /Internal error occurred: /],
    [
      'a patch of an invalid type',
      patch({ op: 'add', path: '/data', value: 'text' }),
      /Internal error occurred: /,
    ],
    [
      'a patch without its type',
      { allowed: true, patch: 'W10=' },
      /received invalid webhook response: webhook returned response.patch but not response.patchType$/,
    ],
  ])('fail with %s', async (_, reply, message) => {
    await install('Mutating', { name: 'bad' });
    replies.set('/bad', () => reply);
    const response = await create();
    expect(response.code).toBe(500);
    expect(response.message).toMatch(message);
  });
});
