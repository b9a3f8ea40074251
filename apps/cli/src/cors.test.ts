import { afterAll, beforeAll, expect, it } from 'vitest';
import { type RunningAnnex, runAnnex } from './running-annex.fixture.ts';

let annex: RunningAnnex;
beforeAll(async () => {
  annex = await runAnnex('--ephemeral', '--cors-allowed-origins=//example\\.com(:|$)');
});
afterAll(() => annex?.stop());

const allowed = {
  'access-control-allow-origin': 'https://example.com:8443',
  'access-control-allow-methods': 'POST, GET, OPTIONS, PUT, DELETE, PATCH',
  'access-control-allow-headers':
    'Content-Type, Content-Length, Accept-Encoding, X-CSRF-Token, Authorization, X-Requested-With, If-Modified-Since',
  'access-control-expose-headers': 'Date',
  'access-control-allow-credentials': 'true',
};

async function responseTo(method: string, path: string, headers: Record<string, string>) {
  const { status, headers: sent } = await annex.admin.send({ method, path, headers });
  const names = Object.entries(sent).filter(([name]) => name.startsWith('access-control-'));
  return { status, cors: Object.fromEntries(names) };
}

it.each<[what: string, method: string, path: string, origin: string, status: number, cors: object]>([
  ['a request of an allowed origin', 'GET', '/api/v1/namespaces', 'https://example.com:8443', 200, allowed],
  ['its preflight request', 'OPTIONS', '/api/v1/namespaces', 'https://example.com:8443', 204, allowed],
  ['its request that is not found', 'GET', '/none', 'https://example.com:8443', 404, allowed],
  ['a request of another origin', 'GET', '/api/v1/namespaces', 'https://example.com.evil.io', 200, {}],
])('%s', async (_, method, path, origin, status, cors) => {
  expect(await responseTo(method, path, { origin })).toEqual({ status, cors });
});

it('a request without an origin has no CORS headers', async () => {
  expect(await responseTo('GET', '/version', {})).toEqual({ status: 200, cors: {} });
});
