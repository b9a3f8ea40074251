import { once } from 'node:events';
import { connect as connectHttp2 } from 'node:http2';
import { connect } from 'node:tls';
import { issueServingCertificate, createCA } from '@annex/auth';
import { systemClock } from '@annex/runtime';
import { expect, it } from 'vitest';
import { livenessTimes } from '@annex/http';
import { createApiListener } from './api-listener.ts';

it('an HTTP/2 connection to a dead client is closed, an idle one stays open', async () => {
  const ca = await createCA('ca');
  const names = { commonName: 'a', subjectAltNames: ['127.0.0.1'] };
  const { cert, key } = await issueServingCertificate(ca, names);
  const listener = createApiListener({
    bindAddress: '127.0.0.1',
    port: 0,
    certificate: cert,
    key,
    clock: systemClock,
    liveness: { ...livenessTimes, pingIntervalMs: 50, pingTimeoutMs: 1000 },
    steps: [{ name: 'answer', run: ({ res }) => void res.end('here') }],
  });
  const port = await listener.start();
  const quiet = connectHttp2(`https://127.0.0.1:${port}`, { ca: ca.cert });
  await once(quiet, 'connect');
  // TLS and TCP work, but the application behind them does not respond.
  const gone = connect({ host: '127.0.0.1', port, ca: ca.cert, ALPNProtocols: ['h2'] });
  await once(gone, 'secureConnect');
  const settings = Buffer.of(0, 0, 0, 4, 0, 0, 0, 0, 0);
  gone.write(Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), settings]));
  gone.resume();
  await once(gone, 'close');
  const request = quiet.request({ ':path': '/' });
  const [headers] = (await once(request, 'response')) as [Record<string, unknown>];
  expect(headers[':status']).toBe(200);
  quiet.close();
  await listener.stop(0);
});
