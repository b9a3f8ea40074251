import type { JsonObject } from '@annex/machinery';
import { describe, expect, it } from 'vitest';
import { configMap, type Reply, servedWebhooks, setData } from './served-webhooks.fixture.ts';

const { create, install, replies, request, sent, uninstall } = servedWebhooks();

describe('validating webhooks', () => {
  const refusals: [string, JsonObject, number, string][] = [
    ['nothing', {}, 400, 'denied the request without explanation'],
    ['a message', { status: { message: 'no' } }, 400, 'denied the request: no'],
    ['a reason alone', { status: { reason: 'Gone', code: 410 } }, 410, 'denied the request: Gone'],
    ['a code below 400', { status: { code: 200, message: 'no' } }, 400, 'denied the request: no'],
  ];
  it.each(refusals)('refuse with %s', async (_, reply, code, text) => {
    await install('Validating', { name: 'deny' });
    replies.set('/deny', () => ({ allowed: false, ...reply }));
    const response = await create();
    expect(response).toMatchObject({ code, message: `admission webhook "deny.example.com" ${text}` });
  });

  it('send warnings to the client', async () => {
    await install('Validating', { name: 'warn' });
    replies.set('/warn', () => ({ allowed: true, warnings: ['careful'] }));
    expect((await create()).warnings).toEqual(['299 - "careful"']);
  });

  it('may not patch', async () => {
    await install('Validating', { name: 'patch' });
    replies.set('/patch', () => setData('a', '1'));
    expect((await create()).message).toBe(
      'Internal error occurred: failed calling webhook "patch.example.com": received invalid webhook response: ' +
        'validating webhook may not return response.patch',
    );
  });

  it('see the deleted object', async () => {
    await install('Validating', { name: 'gone' });
    const { body } = await create();
    const path = `/api/v1/namespaces/ns/configmaps/${body.metadata.name}`;
    await request('DELETE', path, { propagationPolicy: 'Background' });
    expect(sent.get('/gone')?.at(-1)).toMatchObject({
      operation: 'DELETE',
      object: null,
      oldObject: { metadata: { uid: body.metadata.uid } },
      options: { kind: 'DeleteOptions', apiVersion: 'meta.k8s.io/v1', propagationPolicy: 'Background' },
    });
  });

  it('see the generated name', async () => {
    await install('Validating', { name: 'named' });
    await create('', configMap({}, { name: '', generateName: 'g-' }));
    expect(sent.get('/named')?.[0]?.name).toMatch(/^g-/);
  });
});

describe('a webhook that fails', () => {
  const failures: [string, () => Reply | Promise<Reply>, RegExp][] = [
    [
      'with a code',
      () => 503,
      /failed to call webhook: the server is currently unable to handle the request$/,
    ],
    ['with text', () => 'x', /failed to call webhook: couldn't get version\/kind; json parse error: /],
    [
      'with another uid',
      () => ({ uid: 'other', allowed: true }),
      /received invalid webhook response: expected response.uid="[^"]*", got "other"$/,
    ],
    [
      'by taking too long',
      () => new Promise<Reply>((resolve) => setTimeout(resolve, 1500, { allowed: true })),
      /failed to call webhook: Post "https:\/\/127.0.0.1:\d+\/fails\?timeout=1s": context deadline exceeded$/,
    ],
  ];
  it.each(failures)(
    '%s refuses by default, and is ignored with failurePolicy Ignore',
    async (_, reply, why) => {
      replies.set('/fails', reply);
      await install('Validating', { name: 'fails', timeoutSeconds: 1 });
      const response = await create();
      expect(response.code).toBe(500);
      expect(response.message).toMatch(why);
      await uninstall();
      await install('Validating', { name: 'fails', timeoutSeconds: 1, failurePolicy: 'Ignore' });
      expect((await create()).code).toBe(201);
    },
  );
});
