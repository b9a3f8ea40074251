import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { json } from 'node:stream/consumers';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningAnnex, runAnnex } from './running-annex.fixture.ts';

let annex: RunningAnnex;
beforeAll(async () => {
  annex = await runAnnex('--ephemeral');
});
afterAll(() => annex?.stop());

it('a watch over WebSocket ends at once, so that clients of Java repeat it without', async () => {
  const headers = {
    connection: 'Upgrade',
    upgrade: 'WebSocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  };
  const pem = (name: string) => readFileSync(join(annex.pki, name), 'utf8');
  const watch = request(`${annex.url}/api/v1/configmaps?watch=true`, {
    headers,
    ca: pem('ca.crt'),
    cert: pem('admin.crt'),
    key: pem('admin.key'),
  }).end();
  const [response] = (await once(watch, 'response')) as [IncomingMessage];
  expect(response.statusCode).toBe(503);
  expect(await json(response)).toMatchObject({
    reason: 'ServiceUnavailable',
    message: 'watches over WebSocket are not served',
  });
});
