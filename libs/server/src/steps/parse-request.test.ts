import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { expect, it } from 'vitest';
import { createContext, type RequestContext } from '@annex/kinds';
import { sendText } from '../respond.ts';
import { composeSteps } from '../step.ts';
import { parseRequest } from './parse-request.ts';

/** Returns the parsed request, or the text of the error response. */
async function read(head: string): Promise<Pick<RequestContext, 'path' | 'requestUri'> | string> {
  let context: RequestContext | undefined;
  const remember = {
    name: 'remember',
    run(request: RequestContext) {
      context = request;
      return sendText(request, 200, '');
    },
  };
  const run = composeSteps([parseRequest, remember]);
  const server = createServer((req, res) => void run(createContext(req, res, 0)));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1');
  socket.write(`${head}\r\nConnection: close\r\n\r\n`);
  let text = '';
  for await (const chunk of socket) text += String(chunk);
  server.close();
  const { path, requestUri, trace } = context ?? {};
  if (path === undefined || requestUri === undefined) return text;
  expect(trace?.url).toBe(requestUri);
  return { path, requestUri };
}

it.each([
  ['a path and a query', 'GET /a%2Fb?c%20=+;&d', { path: '/a/b', requestUri: '/a%2Fb?c%20=+;&d' }],
  ['a whole URL', 'GET https://host/a?b', { path: '/a', requestUri: '/a?b' }],
  ['a URL without a path', 'GET https://host', { path: '', requestUri: '/' }],
  ['the whole server', 'GET *', { path: '*', requestUri: '*' }],
])('reads %s', async (_what, line, expected) => {
  expect(await read(`${line} HTTP/1.1\r\nHost: a`)).toEqual(expected);
});

it.each([
  ['an invalid escape', 'GET /%zz HTTP/1.1\r\nHost: a', '400 Bad Request'],
  ['a path that is not UTF-8', 'GET /%ff HTTP/1.1\r\nHost: a', '400 Bad Request'],
  ['two hosts', 'GET / HTTP/1.1\r\nHost: a\r\nhost: a', '400 Bad Request'],
  [
    'a watch without a resource',
    'GET /api/v1/watch?<a> HTTP/1.1\r\nHost: a',
    'Internal Server Error: "/api/v1/watch?&lt;a&gt;": failed to create RequestInfo: unable to determine kind and namespace from url, /api/v1/watch?&lt;a&gt;\n',
  ],
])('refuses %s', async (_what, head, expected) => {
  expect(await read(head)).toMatch(expected.startsWith('4') ? /^HTTP\/1\.1 400 / : /^HTTP\/1\.1 500 /);
  expect(await read(head)).toContain(`\r\n${expected}\r\n`);
});
