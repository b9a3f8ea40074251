import { claimsValue } from '@annex/cel';
import { FieldPath, finish } from '@annex/machinery';
import { createMetrics, systemClock, nullLogger } from '@annex/runtime';
import { describe, expect, it } from 'vitest';
import { maxConfiguredIssuers } from './compile-configuration.ts';
import { compileJwtExpression, maxClaimExpressionCost } from './expressions.ts';
import { openConfiguredTokens } from './open-configured-tokens.ts';
import { fixedText } from '@annex/runtime';

const head = 'apiVersion: apiserver.config.k8s.io/v1\nkind: AuthenticationConfiguration\n';

/** Returns the errors of a configuration; empty if it is valid. */
async function errorOf(text: string): Promise<string> {
  const options = {
    algorithms: [],
    disallowedIssuers: ['https://kubernetes.default.svc'],
    clock: systemClock,
    log: nullLogger,
    metrics: createMetrics(),
  };
  try {
    (await openConfiguredTokens(fixedText(text), options)).stop();
    return '';
  } catch (error) {
    return (error as Error).message;
  }
}

/** A configuration with one issuer, whose parts are YAML. */
const withJwt = (parts: {
  issuer?: string;
  mappings?: string;
  rules?: string;
  users?: string;
}) => `${head}jwt:
- issuer: ${parts.issuer ?? "{url: 'https://a.example', audiences: [x]}"}
  claimMappings: ${parts.mappings ?? "{username: {claim: sub, prefix: ''}}"}
  claimValidationRules: ${parts.rules ?? '[]'}
  userValidationRules: ${parts.users ?? '[]'}
`;
const invalid = 'invalid authentication configuration: ';

// The texts are those of kube-apiserver v1.36.3 started with the same files.
describe('an AuthenticationConfiguration', () => {
  const files: [what: string, text: string, said: string][] = [
    ['with one issuer is valid', withJwt({}), ''],
    ['without issuers is good', `${head}jwt: []\n`, ''],
    ['in the version before is good', head.replace('/v1', '/v1beta1'), ''],
    ['that is empty', '', 'empty config data'],
    ['without a kind', 'jwt: []\n', "Object 'Kind' is missing in 'jwt: []\n'"],
    [
      'of another kind',
      'apiVersion: v1\nkind: Pod\n',
      'no kind "Pod" is registered for version "v1" in scheme "pkg/runtime/scheme.go:111"',
    ],
    ['without a version', 'kind: Foo\n', "Object 'apiVersion' is missing in 'kind: Foo\n'"],
    [
      'that is a list',
      '[]',
      String.raw`couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }`,
    ],
    [
      'for authorization',
      head.replace('Authentication', 'Authorization'),
      'expected AuthenticationConfiguration, got *apiserver.AuthorizationConfiguration',
    ],
    [
      'with a list of strings instead of objects',
      `${head}jwt: [x]\n`,
      'json: cannot unmarshal string into Go struct field AuthenticationConfiguration.jwt of type v1.JWTAuthenticator',
    ],
    [
      'with values of other types, of which the first is reported',
      `${head}jwt: [{issuer: {url: 5, audiences: x}}]\n`,
      'json: cannot unmarshal string into Go struct field Issuer.jwt.issuer.audiences of type []string',
    ],
    [
      'with unknown fields',
      `${withJwt({ issuer: "{url: 'https://a.example', audiences: [x], foo: 1}" })}baz: 3\n`,
      'strict decoding error: unknown field "baz", unknown field "jwt[0].issuer.foo"',
    ],
    [
      'with a field twice',
      `${head}jwt: []\njwt: []\n`,
      'strict decoding error: yaml: unmarshal errors:\n  line 4: key "jwt" already set in map',
    ],
    [
      'with conditions without anonymous users',
      `${head}anonymous: {enabled: false, conditions: [{path: /healthz}]}\n`,
      `${invalid}anonymous.conditions: Invalid value: [{"Path":"/healthz"}]: enabled should be set to true when conditions are defined`,
    ],
  ];
  it.each(files)('%s', async (_what, text, message) => {
    expect(await errorOf(text)).toBe(message);
  });
});

describe('the issuer of a configuration', () => {
  const url = (field: string, text: string, why: string) =>
    `jwt[0].issuer.${field}: Invalid value: "${text}": ${why}`;
  const crooked = 'http://u:p@a.example?x=1#f';
  const rows: [what: string, issuer: string, said: string][] = [
    [
      'needs a URL and an audience',
      '{}',
      '[jwt[0].issuer.url: Required value, jwt[0].issuer.audiences: Required value: at least one jwt[0].issuer.audiences is required]',
    ],
    [
      'is a plain https URL',
      `{url: '${crooked}', audiences: [x]}`,
      `[${['URL scheme must be https', 'URL must not contain a username or password', 'URL must not contain a query', 'URL must not contain a fragment'].map((why) => url('url', crooked, why)).join(', ')}]`,
    ],
    [
      'is a URL',
      "{url: 'https://a b', audiences: [x]}",
      'jwt[0].issuer.url: Invalid value: "https://a b": parse "https://a b": invalid character " " in host name',
    ],
    [
      'is not this server',
      "{url: 'https://kubernetes.default.svc', audiences: [x]}",
      url(
        'url',
        'https://kubernetes.default.svc',
        'URL must not overlap with disallowed issuers: [https://kubernetes.default.svc]',
      ),
    ],
    [
      'has a discovery URL that differs from the issuer',
      "{url: 'https://a.example/', audiences: [x], discoveryURL: 'https://a.example'}",
      url('discoveryURL', 'https://a.example', 'discoveryURL must be different from URL'),
    ],
    [
      'has each audience once, and a policy for several',
      "{url: 'https://a.example', audiences: [x, '', x]}",
      '[jwt[0].issuer.audiences[1]: Required value, jwt[0].issuer.audiences[2]: Duplicate value: "x", jwt[0].issuer.audienceMatchPolicy: Invalid value: "": audienceMatchPolicy must be MatchAny for multiple audiences]',
    ],
    [
      'has valid certificates as CA',
      "{url: 'https://a.example', audiences: [x], certificateAuthority: nonsense}",
      'jwt[0].issuer.certificateAuthority: Invalid value: "<omitted>": data does not contain any valid RSA or ECDSA certificates',
    ],
  ];
  it.each(rows)('%s', async (_what, issuer, message) => {
    expect(await errorOf(withJwt({ issuer }))).toBe(invalid + message);
  });

  it('is reached directly', async () => {
    const issuer = "{url: 'https://a.example', audiences: [x], egressSelectorType: cluster}";
    expect(await errorOf(withJwt({ issuer }))).toBe(
      'oidc: egress lookup required with egress selector type "cluster"',
    );
  });
});

describe('expressions and claims of a configuration', () => {
  const at = 'jwt[0].claimMappings.username.expression: Invalid value: "claims.email": ';
  const rows: [what: string, parts: Parameters<typeof withJwt>[0], said: string][] = [
    [
      'a rule is a claim or an expression, once',
      {
        rules:
          "[{claim: a, expression: 'true'}, {}, {claim: b, message: m}, {claim: b}, {expression: 'true', requiredValue: v}, {expression: 'true'}, {expression: 'claims.x'}]",
      },
      `[${[
        'jwt[0].claimValidationRules[0]: Invalid value: "a": claim and expression can\'t both be set',
        'jwt[0].claimValidationRules[1]: Required value: claim or expression is required',
        'jwt[0].claimValidationRules[2].message: Invalid value: "m": may not be specified when claim is set',
        'jwt[0].claimValidationRules[3].claim: Duplicate value: "b"',
        'jwt[0].claimValidationRules[4].requiredValue: Invalid value: "v": may not be specified when expression is set',
        'jwt[0].claimValidationRules[5].expression: Duplicate value: "true"',
        'jwt[0].claimValidationRules[6].expression: Invalid value: "claims.x": must evaluate to bool',
      ].join(', ')}]`,
    ],
    [
      'a mapping is a claim with a prefix, or an expression',
      {
        mappings:
          "{username: {claim: a, expression: claims.b}, groups: {expression: claims.g, prefix: ''}, uid: {claim: a, expression: b}}",
      },
      `[${[
        'jwt[0].claimMappings.username: Invalid value: "": claim and expression can\'t both be set',
        'jwt[0].claimMappings.groups.prefix: Invalid value: "": may not be specified when expression is set',
        'jwt[0].claimMappings.uid: Invalid value: "": claim and expression can\'t both be set',
      ].join(', ')}]`,
    ],
    [
      'keys of extras have a domain that is not ours',
      {
        mappings:
          "{username: {claim: a}, extra: [{key: '', valueExpression: claims.a}, {key: foo, valueExpression: claims.a}, {key: a.k8s.io/x, valueExpression: claims.a}, {key: x.y/Z, valueExpression: ''}, {key: x.y/Z, valueExpression: claims.b}]}",
      },
      `[${[
        'jwt[0].claimMappings.username.prefix: Required value: prefix is required when claim is set. It can be set to an empty string to disable prefixing',
        'jwt[0].claimMappings.extra[0].key: Required value',
        'jwt[0].claimMappings.extra[1].key: Invalid value: "foo": must be a domain-prefixed path (such as "acme.io/foo")',
        'jwt[0].claimMappings.extra[2].key: Invalid value: "a.k8s.io/x": k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use',
        'jwt[0].claimMappings.extra[3].key: Invalid value: "x.y/Z": must be lowercase',
        'jwt[0].claimMappings.extra[3].valueExpression: Required value',
        'jwt[0].claimMappings.extra[4].key: Invalid value: "x.y/Z": must be lowercase',
        'jwt[0].claimMappings.extra[4].key: Duplicate value: "x.y/Z"',
      ].join(', ')}]`,
    ],
    [
      'an e-mail address names a user only if it is verified',
      { mappings: '{username: {expression: claims.email}}' },
      `${at}claims.email_verified must be used in claimMappings.username.expression or claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when claims.email is used in claimMappings.username.expression`,
    ],
    [
      'rules on users can read only the user',
      { users: "[{}, {expression: 'user.foo'}, {expression: 'claims.x == 1'}]" },
      `[${[
        'jwt[0].userValidationRules[0].expression: Required value',
        'jwt[0].userValidationRules[1].expression: Invalid value: "user.foo": compilation failed: ERROR: <input>:1:5: undefined field \'foo\'\n | user.foo\n | ....^',
        "jwt[0].userValidationRules[2].expression: Invalid value: \"claims.x == 1\": compilation failed: ERROR: <input>:1:1: undeclared reference to 'claims' (in container '')\n | claims.x == 1\n | ^",
      ].join(', ')}]`,
    ],
  ];
  it.each(rows)('%s', async (_what, parts, message) => {
    expect(await errorOf(withJwt(parts))).toBe(invalid + message);
  });

  it('an e-mail address that a rule has verified names a user', async () => {
    const rules = "[{expression: 'claims.?email_verified.orValue(true) == true'}]";
    expect(await errorOf(withJwt({ mappings: '{username: {expression: claims.email}}', rules }))).toBe('');
  });
});

it('a configuration has at most maxConfiguredIssuers', async () => {
  const issuers = (count: number) =>
    Array.from(
      { length: count },
      (_, i) => `- issuer: {url: 'https://a${i}.example', audiences: [x]}
  claimMappings: {username: {claim: sub, prefix: ''}}
`,
    ).join('');
  expect(await errorOf(`${head}jwt:\n${issuers(maxConfiguredIssuers)}`)).toBe('');
  expect(await errorOf(`${head}jwt:\n${issuers(maxConfiguredIssuers + 1)}`)).toBe(
    `${invalid}jwt: Too many: 65: must have at most 64 items`,
  );
});

it('an expression that costs more than maxClaimExpressionCost fails', () => {
  const source = 'dyn(claims.groups).all(a, dyn(claims.groups).all(b, a != b || a == b))';
  const compiled = compileJwtExpression(source, 'claims', { at: FieldPath.root });
  if (!('evaluate' in compiled)) throw new Error(compiled.detail);
  const groups = (count: number) => Array.from({ length: count }, (_, i) => `g${i}`);
  const evaluate = (count: number) =>
    finish(compiled.evaluate({ claims: claimsValue({ groups: groups(count) }) }));
  expect(evaluate(100)).toBe(true);
  expect(maxClaimExpressionCost).toBe(1_000_000);
  expect(() => evaluate(1000)).toThrow('operation cancelled: actual cost limit exceeded');
});

it('an expression that searches a long claim is evaluated in passes', () => {
  const source = "claims.name.find('a[ab]{100}c') == ''";
  const compiled = compileJwtExpression(source, 'claims', { at: FieldPath.root });
  if (!('evaluate' in compiled)) throw new Error(compiled.detail);
  const passes = compiled.evaluate({ claims: claimsValue({ name: 'ab'.repeat(100_000) }) });
  for (let pass = 0; pass < 3; pass++) expect(passes.next().done).toBe(false);
  expect(finish(passes)).toBe(true);
});
