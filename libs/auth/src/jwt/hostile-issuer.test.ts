import type { ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { createTestCA, sendInterimResponses, sendWithoutEnd, switchProtocols } from '@annex/testkit';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { maxIssuerRedirects, maxIssuerResponseBytes, textFetcher } from './fetch-text.ts';
import { Issuer, maxIssuerErrorText, maxIssuerKeys } from './issuer.ts';
import { claimedIssuer, verifyToken } from './verify-token.ts';

const ca = createTestCA('hostile');
const serving = ca.issue({ commonName: 'issuer', dnsNames: ['localhost'] });
let server: Server;
let url: string;
let respond: (path: string, res: ServerResponse) => void;
beforeAll(async () => {
  const { certificate: cert, key } = serving;
  server = createServer({ cert, key }, (req, res) => {
    res.on('error', () => undefined);
    respond(req.url ?? '', res);
  });
  await new Promise<void>((resolve) => server.listen(0, 'localhost', resolve));
  url = `https://localhost:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
});

describe('a response of an issuer', () => {
  it.each<[string, (res: ServerResponse) => void, string]>([
    ['without end', sendWithoutEnd, `the response has more than ${maxIssuerResponseBytes} bytes`],
    [
      'that redirects endlessly',
      (res) => res.writeHead(302, { location: '/again' }).end(),
      `stopped after ${maxIssuerRedirects} redirects`,
    ],
    [
      'that redirects endlessly, with an endless body',
      (res) => sendWithoutEnd(res.writeHead(302, { location: '/again' })),
      `stopped after ${maxIssuerRedirects} redirects`,
    ],
    ['that switches protocols', switchProtocols, 'the server switched protocols, which was not requested'],
    [
      'after interim responses without end',
      sendInterimResponses,
      'the server sent too many interim responses',
    ],
  ])('%s is refused', async (_what, webhook, message) => {
    respond = (_path, res) => webhook(res);
    const fetcher = textFetcher(ca.certificate);
    onTestFinished(() => fetcher.close());
    await expect(fetcher.get(url)).rejects.toThrow(message);
  });
});

it('an issuer whose own certificate is configured instead of a CA is trusted', async () => {
  respond = (_path, res) => res.end('{}');
  const fetcher = textFetcher(serving.certificate);
  onTestFinished(() => fetcher.close());
  expect((await fetcher.get(url)).text).toBe('{}');
});

/** An issuer at the server, after its first attempt to connect. */
async function issuerAt(serve: (path: string, res: ServerResponse) => void): Promise<Issuer> {
  respond = serve;
  const clock = { now: () => 0, sleep: () => new Promise<void>(() => undefined) };
  const configuration = {
    url,
    discoveryURL: '',
    certificateAuthority: ca.certificate,
    audiences: ['a'],
  };
  const issuer = new Issuer(configuration as never, clock);
  onTestFinished(() => issuer.stop());
  await issuer.firstAttempt();
  return issuer;
}

const discovery = (res: ServerResponse) => res.end(JSON.stringify({ issuer: url, jwks_uri: `${url}/keys` }));
const encoded = (text: string) => Buffer.from(text).toString('base64url');

it('an issuer that fails is quoted with at most maxIssuerErrorText characters', async () => {
  const issuer = await issuerAt((_path, res) => res.writeHead(500).end('x'.repeat(100_000)));
  expect(issuer.problem).toBe(`500 Internal Server Error: ${'x'.repeat(maxIssuerErrorText)}`);
});

it('an issuer with more than maxIssuerKeys keys verifies nothing', async () => {
  const keys = Array.from({ length: maxIssuerKeys + 1 }, () => ({ kty: 'RSA' }));
  const issuer = await issuerAt((path, res) =>
    path === '/keys' ? res.end(JSON.stringify({ keys })) : discovery(res),
  );
  const token = `${encoded('{"alg":"RS256"}')}.${encoded('{}')}.${encoded('x')}`;
  const rules = { audiences: ['a'], algorithms: ['RS256'] };
  await expect(verifyToken(token, issuer, rules, 0)).rejects.toThrow(
    `the issuer has more than ${maxIssuerKeys} keys`,
  );
});

const deep = `${'['.repeat(100_000)}${']'.repeat(100_000)}`;

it('a token whose header is nested 100,000 times is malformed', async () => {
  const issuer = await issuerAt((_path, res) => discovery(res));
  const token = `${encoded(`{"alg":${deep}}`)}.${encoded('{}')}.${encoded('x')}`;
  const rules = { audiences: ['a'], algorithms: ['RS256'] };
  await expect(verifyToken(token, issuer, rules, 0)).rejects.toThrow('oidc: malformed jwt');
});

it('a token whose claims are nested 100,000 times names no issuer', () => {
  expect(claimedIssuer(`x.${encoded(`{"iss":${deep}}`)}.x`)).toBeUndefined();
});
