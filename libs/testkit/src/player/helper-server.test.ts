import { request } from 'node:https';
import { expect, test } from 'vitest';
import { createTestCA } from '../certificates.ts';
import type { HelperSpec } from './helper-responses.ts';
import { startHelper } from './helper-server.ts';

const frontProxy = createTestCA('front-proxy');

async function ask(spec: HelperSpec, path: string, body?: unknown, headers = {}): Promise<unknown> {
  const helper = await startHelper('h', spec, frontProxy.certificate);
  const ca = Buffer.from(String(helper.values.caBundle), 'base64');
  const { certificate, key } = frontProxy.issue({ commonName: 'proxy' });
  try {
    const text = await new Promise<string>((resolve, reject) => {
      const outgoing = request(
        {
          port: helper.port,
          host: 'localhost',
          path,
          method: body ? 'POST' : 'GET',
          ca,
          cert: certificate,
          key,
          headers,
          agent: false,
        },
        (res) => {
          let all = '';
          res.setEncoding('utf8').on('data', (part: string) => (all += part));
          res.on('end', () => resolve(all));
        },
      );
      outgoing.on('error', reject);
      outgoing.end(body === undefined ? undefined : JSON.stringify(body));
    });
    return text.includes('\n') ? text : JSON.parse(text);
  } finally {
    helper.stop();
  }
}

const review = (objects: unknown[], desiredAPIVersion = 'g/v1') => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'ConversionReview',
  request: { uid: 'u', desiredAPIVersion, objects },
});

test('a conversion webhook splits and joins host and port', async () => {
  const spec: HelperSpec = { kind: 'conversion', behaviour: 'hostport' };
  const split = await ask(spec, '/', review([{ apiVersion: 'g/v1beta1', hostPort: 'a:1' }]));
  expect(split).toMatchObject({
    response: {
      uid: 'u',
      convertedObjects: [{ apiVersion: 'g/v1', host: 'a', port: '1' }],
      result: { status: 'Success' },
    },
  });
  const joined = await ask(spec, '/', review([{ apiVersion: 'g/v1', host: 'a', port: '1' }], 'g/v1beta1'));
  expect(joined).toMatchObject({
    response: { convertedObjects: [{ apiVersion: 'g/v1beta1', hostPort: 'a:1' }] },
  });
});

test('an admission webhook denies', async () => {
  const body = { apiVersion: 'v1', kind: 'AdmissionReview', request: { uid: 'u' } };
  expect(await ask({ kind: 'admission', behaviour: 'deny', message: 'no' }, '/', body)).toEqual({
    apiVersion: 'v1',
    kind: 'AdmissionReview',
    response: { uid: 'u', allowed: false, status: { code: 403, message: 'no' } },
  });
});

test('an extension server returns the request', async () => {
  const echo = await ask({ kind: 'extension' }, '/apis/echo.example.com/v1/x?a=1', undefined, {
    'X-Remote-User': 'ann',
  });
  expect(echo).toMatchObject({
    kind: 'Echo',
    path: '/apis/echo.example.com/v1/x?a=1',
    clientCN: 'proxy',
    headers: { 'x-remote-user': ['ann'] },
  });
});

test('an extension server streams', async () => {
  const routes = [{ path: '/w', query: 'watch=', stream: [{ a: 1 }, { a: 2 }] }];
  expect(await ask({ kind: 'extension', routes }, '/w?watch=1')).toBe('{"a": 1}\n{"a": 2}\n');
});
