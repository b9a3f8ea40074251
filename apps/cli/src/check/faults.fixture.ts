import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createTestCA } from '@annex/testkit';
import { discovery, type Fault } from './set-up.fixture.ts';

const day = 86_400_000;
const later = (days: number): Date => new Date(Date.now() + days * day);
const status = (code: number, message: string): string =>
  JSON.stringify({ kind: 'Status', apiVersion: 'v1', status: 'Failure', message, code });

/** Serves administrators, and rejects other users with a status. */
const toAdministrators =
  (code: number, message: string): RequestListener =>
  (req, res) => {
    if (String(req.headers['x-remote-group']).includes('system:masters')) toAll(req, res);
    else res.writeHead(code, { 'content-type': 'application/json' }).end(status(code, message));
  };

/** Serves everybody. */
export const toAll = (req: IncomingMessage, res: ServerResponse): void => {
  const [, , group = ''] = (req.url ?? '').split('/');
  discovery(group)(req, res);
};

/** A set-up with a fault, the first step that fails, its text, and how to fix it. */
type Case = [what: string, fault: Fault, step: string, text: RegExp, fix: RegExp];

/** Rejects everybody. */
export const noStatus401: RequestListener = (_req, res) =>
  res.writeHead(401, { 'content-type': 'application/json' }).end(status(401, 'Unauthorized'));

/** Faults of set-ups with one error. */
export const faultCases: readonly Case[] = [
  ['no Service', { service: 'none' }, 'service', /^there is no Service default\/ext-/, /Create it/],
  [
    'the targetPort instead of the port',
    { service: 'endpoints', port: 8443 },
    'service',
    /^the Service has no port 8443, only 443$/,
    /not to a targetPort/,
  ],
  [
    'a selector without Pods',
    { service: 'selector' },
    'endpoints',
    /^no Pod matches the selector of the Service: app=ext-/,
    /Correct spec\.selector/,
  ],
  ['Pods that are not ready', { service: 'unready' }, 'endpoints', /^no endpoint is ready$/, /readiness/],
  [
    'a port with another name',
    { service: 'other-port-name' },
    'endpoints',
    /^the endpoints have no port named "https", only "api"$/,
    /same name/,
  ],
  ['a server that is down', { down: true }, 'dial', /^no process listens on localhost:\d+$/, /--secure-port/],
  [
    'a name without an address',
    { service: 'unresolvable' },
    'dial',
    /^the name nowhere\.invalid has no address$/,
    /externalName/,
  ],
  [
    'a bundle that is not PEM',
    { bundle: 'TUlJQ' },
    'ca-bundle',
    /^it contains no PEM certificate$/,
    /base64 encoded once/,
  ],
  [
    'a bundle encoded twice',
    { bundle: Buffer.from(createTestCA('twice').certificate).toString('base64') },
    'ca-bundle',
    /^it contains no PEM certificate$/,
    /base64 encoded once/,
  ],
  [
    'the wrong CA',
    { trusts: createTestCA('another-ca') },
    'certificate',
    /^no CA of spec\.caBundle signed it$/,
    /to the CA that signed/,
  ],
  [
    'the name in the common name alone',
    { serving: (by, host) => by.issue({ commonName: host, server: true }) },
    'certificate',
    /^it has no subject alternative names: its common name "ext-\d+\.default\.svc" is ignored$/,
    /DNS:ext-/,
  ],
  [
    'the wrong alternative name',
    { serving: (by) => by.issue({ commonName: 'x', dnsNames: ['ext.default.svc.cluster.local'] }) },
    'certificate',
    /^it is for DNS:ext\.default\.svc\.cluster\.local, not for ext-\d+\.default\.svc$/,
    /DNS:ext-/,
  ],
  [
    'an expired certificate',
    {
      serving: (by, host) =>
        by.issue({ commonName: host, dnsNames: [host], notBefore: later(-9), notAfter: later(-1) }),
    },
    'certificate',
    /^CN=ext-\d+\.default\.svc expired at 20/,
    /Renew/,
  ],
  [
    'a certificate that is not yet valid',
    {
      serving: (by, host) =>
        by.issue({ commonName: host, dnsNames: [host], notBefore: later(1), notAfter: later(9) }),
    },
    'certificate',
    /^CN=ext-\d+\.default\.svc is not valid before 20/,
    /clocks/,
  ],
  [
    'a certificate for clients',
    { serving: (by, host) => by.issue({ commonName: host, dnsNames: [host], server: false }) },
    'certificate',
    /^it is not a server certificate$/,
    /serverAuth/,
  ],
  [
    'a server that does not trust the proxy',
    { response: noStatus401 },
    'proxy-certificate',
    /^the server does not trust the API server’s proxy: it returned 401$/,
    /requestheader-client-ca-file/,
  ],
  [
    'a server whose discovery fails',
    { response: (_req, res) => res.writeHead(500).end() },
    'available',
    /^FailedDiscoveryCheck: .* bad status from \S+: 500$/,
    /log of the server/,
  ],
  [
    'a version that the server does not serve',
    { response: (_req, res) => res.writeHead(404).end() },
    'available',
    /bad status from \S+: 404$/,
    /spec\.version/,
  ],
  [
    'a proxy that returns its login page',
    { response: (_req, res) => res.setHeader('content-type', 'text/html').end('<html>Sign in</html>') },
    'discovery',
    /^the response is HTML, not an APIResourceList$/,
    /ingress/,
  ],
  [
    'a server that redirects clients',
    { response: (_req, res) => res.writeHead(302, { location: 'https://login.example.com/' }).end() },
    'available',
    /bad status from \S+: 302$/,
    /login page/,
  ],
  [
    'an empty response',
    { response: (_req, res) => res.writeHead(200).end() },
    'discovery',
    /^the response is empty, not an APIResourceList$/,
    /ingress/,
  ],
  [
    'another group in discovery',
    {
      response: (_req, res) =>
        res.end(
          '{"kind":"APIResourceList","apiVersion":"v1","groupVersion":"old.example.com/v1","resources":[]}',
        ),
    },
    'discovery',
    /^the server serves old\.example\.com\/v1, but ext-\d+\.example\.com\/v1 is registered$/,
    /spec\.group/,
  ],
  [
    'no system:auth-delegator',
    {
      response: toAdministrators(
        500,
        'Internal Server Error: "/apis": subjectaccessreviews.authorization.k8s.io is forbidden: ' +
          'User "system:serviceaccount:wardle:api" cannot create resource "subjectaccessreviews"',
      ),
    },
    'delegated',
    /^the API server allows it, but the server returned 500: .*subjectaccessreviews/,
    /system:auth-delegator to system:serviceaccount:wardle:api/,
  ],
  [
    'a server that denies what the API server allows',
    { response: toAdministrators(403, 'forbidden: User "annex-check" cannot get path') },
    'delegated',
    /^the API server allows it, but the server returned 403/,
    /system:auth-delegator/,
  ],
];
