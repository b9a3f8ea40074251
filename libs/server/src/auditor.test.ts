import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect, createServer as createHttp2Server } from 'node:http2';
import type { AddressInfo, Server } from 'node:net';
import { notFound } from '@annex/machinery';
import { http2Messages, type HttpRequest, type HttpResponse } from '@annex/http';
import { nullLogger, systemClock } from '@annex/runtime';
import { expect, it } from 'vitest';
import { createContext, type RequestContext } from '@annex/kinds';
import { sendText } from './respond.ts';
import { composeSteps } from './step.ts';
import { recoverFromErrors } from './steps/recover-from-errors.ts';
import { parseRequest } from './steps/parse-request.ts';
import { recordAudit } from './steps/record-audit.ts';
import { parseAuditPolicy } from '@annex/audit';
import { createAuditor } from './auditor.ts';

interface Written {
  stage: string;
  responseStatus?: { code: number; message?: string };
}

type Listener = (req: HttpRequest, res: HttpResponse) => void;

async function askHttp1(listener: Listener) {
  const server = createServer(listener);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const response = await fetch(`${urlOf(server)}/api`);
  const text = await response.text();
  server.close();
  return { status: response.status, text };
}

async function askHttp2(listener: Listener) {
  const server = createHttp2Server(http2Messages, listener as never);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const session = connect(urlOf(server as unknown as Server));
  const stream = session.request({ ':path': '/api' });
  const [headers] = (await once(stream, 'response')) as [{ ':status': number }];
  const text = Buffer.concat(await stream.toArray()).toString();
  session.close();
  server.close();
  return { status: headers[':status'], text };
}

const urlOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/**
 * Returns the response to a request that a handler serves, and the written events; `takes` reports whether
 * the sink accepts an event.
 */
async function audited(
  handle: (request: RequestContext) => void | Promise<void>,
  takes: () => boolean | Promise<boolean> = () => true,
  ask = askHttp1,
) {
  const events: Written[] = [];
  const sink = {
    write(event: { json(): string }) {
      const taken = takes();
      if (taken !== false) events.push(JSON.parse(event.json()) as Written);
      return taken;
    },
    close: () => Promise.resolve(),
  };
  const policy = await parseAuditPolicy(
    '{apiVersion: audit.k8s.io/v1, kind: Policy, rules: [{level: Metadata}]}',
  );
  const auditor = createAuditor({ policy, sink, clock: systemClock });
  const run = composeSteps([
    recoverFromErrors(nullLogger),
    parseRequest,
    recordAudit(auditor),
    { name: 'answer', run: (request: RequestContext) => handle(request) },
  ]);
  const response = await ask((req, res) => void run(createContext(req, res, Date.now())));
  return {
    ...response,
    events: events.map(({ stage, responseStatus }) => ({ stage, responseStatus })),
  };
}

const received = { stage: 'RequestReceived', responseStatus: undefined };

it.each([
  ['HTTP/1.1', askHttp1],
  ['HTTP/2', askHttp2],
])('writes the status code of a response over %s', async (_protocol, ask) => {
  const { events } = await audited((request) => sendText(request, 418, 'tea'), undefined, ask);
  expect(events).toEqual([
    received,
    { stage: 'ResponseComplete', responseStatus: { metadata: {}, code: 418 } },
  ]);
});

it('writes an error with the Status of the response', async () => {
  const { status, events } = await audited(() => {
    throw notFound({ group: '', resource: 'pods' }, 'p');
  });
  expect(status).toBe(404);
  expect(events.at(-1)).toMatchObject({
    stage: 'ResponseComplete',
    responseStatus: { status: 'Failure', message: 'pods "p" not found', reason: 'NotFound', code: 404 },
  });
});

it('writes the stage Panic instead of ResponseComplete', async () => {
  const { status, events } = await audited(() => {
    throw new TypeError('oops');
  });
  expect(status).toBe(500);
  const responseStatus = {
    metadata: {},
    status: 'Failure',
    message: "APIServer panic'd: oops",
    reason: 'InternalError',
    code: 500,
  };
  expect(events).toEqual([received, { stage: 'Panic', responseStatus }]);
});

it('refuses a request whose event is lost if the backend is strict', async () => {
  const { status, text, events } = await audited(
    (request) => sendText(request, 200, 'in'),
    () => false,
  );
  expect([status, text]).toEqual([500, 'Internal Server Error: "/api": failed to store audit event\n']);
  expect(events).toEqual([]);
});

it('refuses a request whose event is lost asynchronously', async () => {
  const { status, text } = await audited(
    (request) => sendText(request, 200, 'ok'),
    () => Promise.resolve(false),
  );
  expect([status, text]).toEqual([500, 'Internal Server Error: "/api": failed to store audit event\n']);
});
