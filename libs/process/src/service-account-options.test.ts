import { nullLogger, parseOptions } from '@annex/runtime';
import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, it, test } from 'vitest';
import { openIdDocuments } from './openid-documents.ts';
import {
  audiencesOf,
  issuerOf,
  type ServiceAccountConfig,
  serviceAccountConflicts,
  serviceAccountOptions,
} from './service-account-options.ts';

const parse = (argv: string[]) =>
  parseOptions<ServiceAccountConfig>(serviceAccountOptions, argv, {}, serviceAccountConflicts);

function config(...argv: string[]) {
  const parsed = parse(argv);
  if (parsed.kind !== 'config') throw new Error(JSON.stringify(parsed));
  return parsed.config;
}

test('the first issuer signs tokens, and all issuers are the default audiences', () => {
  const several = config('--service-account-issuer=https://new', '--service-account-issuer=https://old');
  expect(issuerOf(several)).toBe('https://new');
  expect(audiencesOf(several)).toEqual(['https://new', 'https://old']);
  expect(audiencesOf(config('--service-account-issuer=https://new', '--api-audiences=a,b'))).toEqual([
    'a',
    'b',
  ]);
});

test.each([
  ['--service-account-issuer=', 'service-account-issuer is a required flag'],
  ['--service-account-issuer=a,a', 'service-account-issuer "a" is already specified'],
  ['--service-account-issuer=a,,b', 'service-account-issuer should not be an empty string'],
  [
    '--service-account-issuer=https://%zz',
    `service-account-issuer "https://%zz" contained a ':' but was not a valid URL: parse "https://%zz": invalid URL escape "%zz"`,
  ],
  [
    '--service-account-jwks-uri=:',
    'service-account-jwks-uri must be a valid URL: parse ":": missing protocol scheme',
  ],
  [
    '--service-account-jwks-uri=http://a',
    'service-account-jwks-uri requires https scheme, parsed as: http://a',
  ],
])('%s is refused', (option, message) => {
  expect(parse([option])).toMatchObject({ kind: 'errors', errors: [{ code: 'OPTION_CONFLICT', message }] });
});

describe('OpenID discovery', () => {
  const { publicKey } = generateKeyPairSync('ec', {
    namedCurve: 'P-256',
    publicKeyEncoding: { type: 'spki', format: 'pem' },
    privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
  });
  const documents = (keys: string[], ...argv: string[]) =>
    openIdDocuments({
      config: config(...argv),
      address: () => 'host:1',
      verificationKeys: keys,
      log: nullLogger,
    });

  it.each([
    ['this server', [], 'https://host:1/openid/v1/jwks'],
    ['the URL of the option', ['--service-account-jwks-uri=https://keys/x'], 'https://keys/x'],
  ])('names the keys at %s', (_where, argv, uri) => {
    const found = documents([publicKey], ...argv);
    expect(found['/.well-known/openid-configuration']?.content()).toMatchObject({ jwks_uri: uri });
    expect(found['/openid/v1/jwks']?.contentType).toBe('application/jwk-set+json');
  });

  it.each(['plain', 'http://a', 'https://a?b', 'https://a#b'])('does not publish the issuer %s', (issuer) => {
    expect(documents([publicKey], `--service-account-issuer=${issuer}`)).toEqual({});
  });

  it('publishes nothing without keys', () => expect(documents([])).toEqual({}));
});
