import { isObject, type JsonValue, parseJson, readPem, StatusError } from '@annex/machinery';
import { type FuzzTarget, goJson, latin1Text, orError, utf8Text } from '@annex/testkit';
import { bearerToken } from './authn/bearer-token-authenticator.ts';
import { offeredProtocols, webSocketToken } from './authn/web-socket-token.ts';
import { certificatesOf, ClientTrust, ChainError } from './authn/certificate-chain.ts';
import { certificateDetails } from './authn/certificate-details.ts';
import { checkCertificateRequest, requestedOrganizations } from './authn/certificate-request.ts';
import { derChildren, derElements } from './authn/der.ts';
import { alternativeNames, forbiddenName, nameConstraints } from './authn/name-constraints.ts';
import { readIdToken } from './jwt/id-token.ts';
import { claimedIssuer, untrustedIssuer } from './jwt/verify-token.ts';
import { impersonationHeaders } from './impersonation/impersonation-headers.ts';
import { credentialIdOf, tokenClaims, unverifiedIssuer } from './service-accounts/token-claims.ts';
import { signingKey, verificationKeys } from './service-accounts/token-keys.ts';
import { csvRecords } from './tokens/csv.ts';
import { tokenFileTokens } from './tokens/token-file.ts';
import { reviewStatusOf } from './tokens/webhook-response.ts';
import { CredentialsError } from './types.ts';

const certificate = `-----BEGIN CERTIFICATE-----
MIIBgTCCASegAwIBAgIUJZ0a2vT3kI0b6u1jvWmJ0mXk2d8wCgYIKoZIzj0EAwIw
FjEUMBIGA1UEAwwLZXhhbXBsZS1jYTAeFw0yNjAxMDEwMDAwMDBaFw0zNjAxMDEw
-----END CERTIFICATE-----
`;
/** A certificate with names, name constraints and usages. */
const validCertificate = Buffer.from(
  [
    'MIIB/zCCAaSgAwIBAgIULcLEw4a4oBIgyOhgH5WCgJJj5jowCgYIKoZIzj0EAwIwJTEXMBUGA1UECgwOc3lzdGVtOm1hc3Rl',
    'cnMxCjAIBgNVBAMMAWEwIBcNMjYxMTIyMjAwNTU0WhgPMjEyNjEwMjkyMDA1NTRaMCUxFzAVBgNVBAoMDnN5c3RlbTptYXN0',
    'ZXJzMQowCAYDVQQDDAFhMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEVf7BeC2bJjbnMpxqP9di3IjrqPFRCCMjs9+8B3Q1',
    'rEpeVrePDli11Z3YkLQGHewhPQ/+7TkcFIq80zCPWPgXzaOBrzCBrDAdBgNVHQ4EFgQUyRwF6Bf7tjsJzoM6IU8umrDIscgw',
    'HwYDVR0jBBgwFoAUyRwF6Bf7tjsJzoM6IU8umrDIscgwDwYDVR0TAQH/BAUwAwEB/zAiBgNVHREEGzAZggNhLmKHBAoAAAGG',
    'DHNwaWZmZTovL2EvYjAgBgNVHR4EGTAXoAcwBYIDYS5ioQwwCocICgAAAP8AAAAwEwYDVR0lBAwwCgYIKwYBBQUHAwIwCgYI',
    'KoZIzj0EAwIDSQAwRgIhALPyyAX4n1rt65eJGskgXuIPnqMtq8arFFmoeHHllapGAiEAjYdkY7TXYGreh5m+G6sLKAEab/VX',
    'Z53w4fbmaZ6LRYw=',
  ].join(''),
  'base64',
);
/** A request of a node with alternative names. */
const validRequest = Buffer.from(
  [
    'MIIBETCBuAIBADAvMRUwEwYDVQQKDAxzeXN0ZW06bm9kZXMxFjAUBgNVBAMMDXN5c3RlbTpub2RlOmEwWTATBgcqhkjOPQIB',
    'BggqhkjOPQMBBwNCAASH1kwnM6ozeSjeVnQHeqUL7rEW7L4cCMfag5yNaSaV1B/6GDf9hbZdD10kzKXNjnC5MtcDRD25t8md',
    'Ql6iR63BoCcwJQYJKoZIhvcNAQkOMRgwFjAUBgNVHREEDTALggNhLmKHBAoAAAEwCgYIKoZIzj0EAwIDSAAwRQIhALNrhLil',
    'Q/VN9zgW6K4LW/1xAemtEtNgbkKkD6PGoOEZAiAwQkfDDo0U3IHmgyirwmtjD3DIVNNJgLTeE9u5vA8Rlw==',
  ].join(''),
  'base64',
);
const pemOf = (label: string, bytes: Uint8Array): string =>
  `-----BEGIN ${label}-----\n${Buffer.from(bytes).toString('base64').replace(/.{64}/g, '$&\n')}\n-----END ${label}-----\n`;
const request =
  '-----BEGIN CERTIFICATE REQUEST-----\nMIGhMEkCAQAwFzEVMBMGA1UECgwMc3lzdGVtOm5vZGVz\n-----END CERTIFICATE REQUEST-----\n';
const claims = { iss: 'https://issuer', sub: 'system:serviceaccount:a:b', aud: ['a'], exp: 1e10, nbf: 1, iat: 1, jti: 'x', 'kubernetes.io': { namespace: 'a', serviceaccount: { name: 'b', uid: 'c' }, pod: { name: 'p', uid: 'u' } } }; // prettier-ignore
const encode = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const asJson = (input: Uint8Array): JsonValue | Error =>
  orError(() => parseJson(utf8Text(input)), [SyntaxError]);

export const fuzzTargets: FuzzTarget[] = [
  {
    name: 'der',
    records: { format: 'der' },
    seeds: [
      validCertificate,
      Buffer.from('30160603551d1e040f300da00b300982076578616d706c65', 'hex'),
      Buffer.from('300e820b6578616d706c652e636f6d870401020304', 'hex'),
      Buffer.from('a00a30088706010203040506', 'hex'),
      Buffer.from('3080020100', 'hex'),
    ],
    dictionary: [
      '0\x82',
      '\x82\x0bexample.com',
      '\x87\x08\n\0\0\0\xff\0\0\0',
      '\xa0',
      '\xa1',
      '\x84\xff\xff\xff\xff',
    ],
    maxBytes: 768,
    run(input) {
      const bytes = Buffer.from(input);
      orError(() => derChildren(bytes).map(({ content }) => derElements(content)), [RangeError]);
      const constraints = orError(() => nameConstraints(bytes), [RangeError]);
      const names = orError(() => alternativeNames(bytes), [RangeError]);
      if (!(constraints instanceof Error) && !(names instanceof Error)) forbiddenName(names, constraints);
    },
  },
  {
    name: 'pem',
    seeds: [
      certificate,
      request,
      '-----BEGIN PUBLIC KEY-----\nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE\n-----END PUBLIC KEY-----',
      '-----BEGIN X-----\nA: b\n\nYQ==\n-----END X-----',
    ],
    dictionary: [
      '-----BEGIN ',
      '-----END ',
      '-----',
      'CERTIFICATE',
      'PUBLIC KEY',
      'EC PRIVATE KEY',
      'RSA PRIVATE KEY',
      'CERTIFICATE REQUEST',
      '\n',
      '\r\n',
      '=',
      'MII',
    ],
    maxBytes: 2048,
    run(input) {
      const text = utf8Text(input);
      for (const { bytes } of readPem(text)) orError(() => derChildren(Buffer.from(bytes)), [RangeError]);
      orError(() => verificationKeys(text), [Error]);
      orError(() => signingKey(text), [Error]);
    },
  },
  {
    name: 'certificates',
    records: { format: 'der' },
    seeds: [certificate, certificate + certificate, pemOf('CERTIFICATE', validCertificate), validCertificate],
    dictionary: ['-----BEGIN CERTIFICATE-----', '-----END CERTIFICATE-----', '\n'],
    maxBytes: 2048,
    run(input) {
      // The unchanged bytes, and the bytes as the DER of a certificate.
      for (const text of [utf8Text(input), pemOf('CERTIFICATE', input)]) {
        const found = orError(() => certificatesOf(text), [Error]);
        if (found instanceof Error) continue;
        for (const one of found) orError(() => certificateDetails(one), [RangeError]);
        orError(() => new ClientTrust(text), [ChainError, RangeError]);
      }
    },
  },
  {
    name: 'certificate-request',
    records: { format: 'der' },
    seeds: [request, validRequest],
    maxBytes: 1024,
    run(input) {
      for (const text of [utf8Text(input), pemOf('CERTIFICATE REQUEST', input)]) {
        orError(() => requestedOrganizations(text), [Error, RangeError]);
        orError(() => checkCertificateRequest(text), [Error, RangeError]);
      }
    },
  },
  {
    name: 'jwt',
    seeds: [
      `${encode({ alg: 'RS256', kid: 'a' })}.${encode(claims)}.c2ln`,
      JSON.stringify(claims),
      '{"iss":1}',
      JSON.stringify({
        ...claims,
        _claim_names: { groups: 's' },
        _claim_sources: { s: { endpoint: 'https://x', access_token: 'y' } },
      }),
    ],
    dictionary: [
      '"iss"',
      '"aud"',
      '"exp"',
      '"nbf"',
      '"kubernetes.io"',
      '"_claim_names"',
      '"_claim_sources"',
      '"warnafter"',
      'null',
      '.',
      '1e400',
      '-1',
    ],
    maxBytes: 1024,
    run(input) {
      const text = utf8Text(input);
      for (const token of [text, `e30.${Buffer.from(input).toString('base64url')}.e30`]) {
        unverifiedIssuer(token);
        credentialIdOf(token);
        claimedIssuer(token);
        orError(() => untrustedIssuer(token), [Error]);
      }
      const value = asJson(input);
      if (value instanceof Error) return;
      orError(() => tokenClaims(value), [CredentialsError]);
      if (isObject(value)) orError(() => readIdToken(value), [Error, CredentialsError]);
    },
  },
  {
    name: 'token-file',
    go: 'csv',
    seeds: ['token,user,uid,"group1,group2"\n', 'a,b,c\r\n"d ""e""",f,g,\n', '\n\n,,\n'],
    dictionary: ['"', '""', ',', '\n', '\r\n'],
    maxBytes: 256,
    run(input) {
      const text = utf8Text(input);
      orError(() => tokenFileTokens(text, 'tokens.csv'), [Error]);
      const records = orError(() => csvRecords(text), [Error]);
      if (!Buffer.from(text).equals(Buffer.from(input))) return;
      return records instanceof Error ? 'error' : goJson(records.length === 0 ? null : records);
    },
  },
  {
    name: 'token-review',
    seeds: [
      JSON.stringify({
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        status: {
          authenticated: true,
          user: { username: 'a', groups: ['b'], extra: { c: ['d'] } },
          audiences: ['e'],
        },
      }),
      'null',
      '{"kind":1}',
    ],
    dictionary: ['"status"', '"user"', '"extra"', 'null', '[]', '{}', '"__proto__"', '"error"'],
    maxBytes: 1024,
    run(input) {
      const value = asJson(input);
      if (value instanceof Error) return;
      for (const version of ['v1', 'v1beta1'] as const)
        orError(() => reviewStatusOf(value, version), [Error]);
    },
  },
  {
    name: 'authentication-headers',
    seeds: [
      'authorization: Bearer abc',
      'sec-websocket-protocol: base64url.bearer.authorization.k8s.io.YWJj, v4.channel.k8s.io',
      'impersonate-user: a\nimpersonate-group: b\nimpersonate-extra-a%2fb: c\nimpersonate-uid: d',
      'impersonate-group: x',
    ],
    dictionary: [
      'Bearer ',
      'bearer',
      'base64url.bearer.authorization.k8s.io.',
      'impersonate-extra-',
      'impersonate-group: ',
      '%2f',
      '%zz',
      '\n',
      ': ',
    ],
    maxBytes: 512,
    run(input) {
      const lines = latin1Text(input)
        .split('\n')
        .map((line) => line.split(/: (.*)/s, 2));
      const raw = lines.flatMap(([name = '', value = '']) => [name, value]);
      for (const [name, value = ''] of lines) {
        if (name === 'authorization') bearerToken(value);
        orError(() => webSocketToken(offeredProtocols(value)), [CredentialsError]);
      }
      orError(() => impersonationHeaders(raw), [StatusError]);
    },
  },
];
