import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createContext } from '@annex/kinds';
import { notFound } from '@annex/machinery';
import { nullLogger } from '@annex/runtime';
import { StoreError } from '@annex/storage';
import { expect, it } from 'vitest';
import { composeSteps } from '../step.ts';
import { recoverFromErrors } from './recover-from-errors.ts';

it.each([
  ['a Status', notFound({ group: '', resource: 'pods' }, 'a'), 404, 'pods "a" not found'],
  [
    'a store that does not respond',
    new StoreError('unavailable', 'context deadline exceeded'),
    503,
    'the storage of this server is unavailable',
  ],
  [
    'a damaged object',
    new StoreError('damaged', 'x is damaged'),
    500,
    'Internal error occurred: x is damaged',
  ],
  [
    'anything else',
    new Error('a secret'),
    500,
    'Internal error occurred: an unexpected error; the server log contains it with this audit ID',
  ],
])('responds to %s', async (_what, error, code, message) => {
  const fail = { name: 'fail', run: () => Promise.reject(error) };
  const run = composeSteps([recoverFromErrors(nullLogger), fail]);
  const server = createServer((req, res) => void run(createContext(req, res, Date.now())));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const response = await fetch(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  expect(await response.json()).toMatchObject({ code, message });
  server.close();
});
