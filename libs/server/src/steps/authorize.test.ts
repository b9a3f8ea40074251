import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Attributes, Decision } from '@annex/auth';
import { nullLogger } from '@annex/runtime';
import { expect, it } from 'vitest';
import { createContext } from '@annex/kinds';
import { sendText } from '../respond.ts';
import { composeSteps } from '../step.ts';
import { authorize } from './authorize.ts';
import { recoverFromErrors } from './recover-from-errors.ts';
import { parseRequest } from './parse-request.ts';

/** Returns the response to a request with this decision, and the attributes that were decided. */
async function responded(path: string, decision: Decision) {
  const requested: Attributes[] = [];
  const decide = (attributes: Attributes) => {
    requested.push(attributes);
    return decision;
  };
  const reply = {
    name: 'reply',
    run: (request: Parameters<typeof sendText>[0]) => sendText(request, 200, 'in'),
  };
  const run = composeSteps([
    recoverFromErrors(nullLogger),
    parseRequest,
    authorize({ name: 'test', authorize: decide }),
    reply,
  ]);
  const server = createServer((req, res) => void run(createContext(req, res, Date.now())));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}${path}`);
  const text = await response.text();
  server.close();
  return { status: response.status, text, requested: requested[0] };
}

it('allows a permitted request despite evaluation errors', async () => {
  const decision = { decision: 'allow', reason: '', evaluationError: 'oops' } as const;
  expect(await responded('/api', decision)).toMatchObject({ status: 200, text: 'in' });
});

it('refuses a request without permission with 403', async () => {
  const { status, text } = await responded('/api', { decision: 'noOpinion', reason: 'why' });
  expect([status, (JSON.parse(text) as { message: string }).message]).toEqual([
    403,
    'forbidden: User "" cannot get path "/api": why',
  ]);
});

it.each(['deny', 'noOpinion'] as const)('responds 500 if %s has an evaluation error', async (decision) => {
  const response = await responded('/api?x=<y>', { decision, reason: '', evaluationError: 'oops & more' });
  expect(response).toMatchObject({
    status: 500,
    text: 'Internal Server Error: "/api?x=%3Cy%3E": oops &amp; more\n',
  });
});

it('authorizes with the requirements of the selectors, without invalid selectors', async () => {
  const path = '/api/v1/pods?labelSelector=a%3Db&fieldSelector=x%3D';
  const no = { decision: 'noOpinion', reason: '' } as const;
  expect((await responded(path, no)).requested).toMatchObject({
    labelSelector: [{ key: 'a', operator: '=', values: ['b'] }],
    fieldSelector: [{ field: 'x', operator: '=', value: '' }],
  });
  const { requested } = await responded('/api/v1/pods?labelSelector=(&fieldSelector=x', no);
  expect(requested).not.toHaveProperty('labelSelector');
  expect(requested).not.toHaveProperty('fieldSelector');
});
