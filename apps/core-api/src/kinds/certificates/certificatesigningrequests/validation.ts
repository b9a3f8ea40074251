import { X509Certificate } from 'node:crypto';
import { checkCertificateRequest } from '@annex/auth';
import {
  deepEqual,
  errorsOfEach,
  type FieldError,
  fieldErrors,
  FieldPath,
  type JsonObject,
  type KubeObject,
  readPem,
  validateDns1123Label,
  validateDns1123Subdomain,
  repetitions,
} from '@annex/machinery';
import { all, type Check, childOf, each, fields, objectsOf, oneOf, required } from '../../shared/checks.ts';

const { duplicate, forbidden, invalid } = fieldErrors;

const usages = [
  ...[
    'any',
    'cert sign',
    'client auth',
    'code signing',
    'content commitment',
    'crl sign',
    'data encipherment',
  ],
  ...['decipher only', 'digital signature', 'email protection', 'encipher only', 'ipsec end system'],
  ...['ipsec tunnel', 'ipsec user', 'key agreement', 'key encipherment', 'microsoft sgc', 'netscape sgc'],
  ...['ocsp signing', 's/mime', 'server auth', 'signing', 'timestamping'],
];

const usage: Check = (value, at) =>
  usages.includes(String(value)) ? [] : [fieldErrors.notSupported(at, value, usages)];

const noneTwice: Check = (value, at) => {
  const isRepeated = repetitions();
  return errorsOfEach(Array.isArray(value) ? value : [], (item, index) => {
    if (isRepeated(item)) return [duplicate(at.index(index), item)];
    return [];
  });
};

/** Checks the PEM block of the request, whose signature must be by the key in it. */
const signedRequest: Check = (value, at) => {
  try {
    checkCertificateRequest(Buffer.from(String(value ?? ''), 'base64').toString());
    return [];
  } catch (error) {
    return [invalid(at, value, (error as Error).message)];
  }
};

/** Returns the errors of the first invalid part between dots. */
function badPart(text: string, at: FieldPath, check: (part: string) => string[]): FieldError[] {
  for (const part of text.split('.')) {
    const errors = check(part).map((why) =>
      invalid(at, text, `validating label ${JSON.stringify(part)}: ${why}`),
    );
    if (errors.length > 0) return errors;
  }
  return [];
}

const longestDomain = 253;
const longestLabel = 63;
const longestSigner = longestDomain + 1 + longestDomain + longestLabel + 1;
const legacySigner = 'kubernetes.io/legacy-unknown';

/** Checks the name of a signer: `example.com/signer-name`. */
const signerName: Check = (value, at) => {
  const name = String(value);
  if (name === legacySigner) {
    return [invalid(at, name, 'the legacy signerName is not allowed via this API version')];
  }
  const [domain = '', path, ...more] = name.split('/');
  if (path === undefined || more.length > 0) {
    const form = "must be a fully qualified domain and path of the form 'example.com/signer-name'";
    return [invalid(at, name, form)];
  }
  const segments = 'should be a domain with at least two segments separated by dots';
  return [
    ...(domain.length > longestDomain ? [fieldErrors.tooLong(at, domain, longestDomain)] : []),
    ...badPart(domain, at, validateDns1123Label),
    ...(domain.includes('.') ? [] : [invalid(at, domain, segments)]),
    ...badPart(path, at, validateDns1123Subdomain),
    ...(name.length > longestSigner ? [fieldErrors.tooLong(at, name, longestSigner)] : []),
  ];
};

const shortest = 600;
const duration: Check = (value, at) =>
  typeof value === 'number' && value < shortest
    ? [invalid(at, value, 'may not specify a duration less than 600 seconds (10 minutes)')]
    : [];

/** Checks a new request. */
export const validateCertificateRequest: Check = fields({
  spec: fields({
    request: signedRequest,
    usages: all(required(), each(usage), noneTwice),
    signerName: required(signerName),
    expirationSeconds: duration,
  }),
});

const decisions = ['Approved', 'Denied'];
const final = [...decisions, 'Failed'];
const conditionsAt = FieldPath.of('status', 'conditions');
const certificateAt = FieldPath.of('status', 'certificate');

const statusOf = (request: KubeObject): JsonObject => childOf(request, 'status');
const conditionsOf = (request: KubeObject): readonly JsonObject[] => objectsOf(statusOf(request).conditions);
const ofType = (request: KubeObject, type: string) =>
  conditionsOf(request).filter((condition) => condition.type === type);

const isDecidedBothWays = (request: KubeObject) =>
  decisions.every((type) => ofType(request, type).length > 0);
const hasTypeTwice = (request: KubeObject) => {
  const types = conditionsOf(request).map(({ type }) => type);
  return new Set(types).size < types.length;
};
const hasUntyped = (request: KubeObject) => conditionsOf(request).some(({ type }) => !type);

/** Checks conditions; conditions that were already invalid may be kept. */
function conditionErrors(request: KubeObject, old: KubeObject): FieldError[] {
  const [mayLackType, mayRepeat, mayContradict] = [
    hasUntyped(old),
    hasTypeTwice(old),
    isDecidedBothWays(old),
  ];
  const seen = new Set<unknown>();
  return errorsOfEach(conditionsOf(request), ({ type, status }, index) => {
    const at = conditionsAt.index(index);
    const values = final.includes(String(type)) ? ['True'] : ['False', 'True', 'Unknown'];
    const other = decisions.find((decision) => decision !== type) ?? '';
    const contradicts = decisions.includes(String(type)) && seen.has(other);
    const isSecond = seen.has(type);
    seen.add(type);
    return [
      ...(type || mayLackType ? [] : [fieldErrors.required(at.child('type'))]),
      ...required(oneOf(...values))(status, at.child('status')),
      ...(contradicts && !mayContradict
        ? [invalid(conditionsAt, type, 'Approved and Denied conditions are mutually exclusive')]
        : []),
      ...(isSecond && !mayRepeat ? [duplicate(at.child('type'), type)] : []),
    ];
  });
}

/** Checks changes of the conditions: final decisions cannot be removed, and only `approval` may add a decision. */
function changedConditions(request: KubeObject, old: KubeObject, mayDecide: boolean): FieldError[] {
  const count = (type: string) => ofType(request, type).length - ofType(old, type).length;
  const refused = (what: string, type: string) =>
    forbidden(conditionsAt, `updates may not ${what} a condition of type ${JSON.stringify(type)}`);
  return [
    ...final.filter((type) => count(type) < 0).map((type) => refused('remove', type)),
    ...(mayDecide ? [] : decisions.filter((type) => count(type) > 0).map((type) => refused('add', type))),
  ];
}

/** Returns why the bytes are not a certificate chain; `undefined` if they are one. */
function chainError(encoded: unknown): string | undefined {
  const blocks = readPem(Buffer.from(String(encoded ?? ''), 'base64').toString());
  if (blocks.length === 0) return 'must contain at least one CERTIFICATE PEM block';
  for (const { type, hasHeaders, bytes } of blocks) {
    if (type !== 'CERTIFICATE')
      return `only CERTIFICATE PEM blocks are allowed, found ${JSON.stringify(type)}`;
    if (hasHeaders) return 'no PEM block headers are permitted';
    try {
      new X509Certificate(bytes);
    } catch {
      return 'x509: malformed certificate';
    }
  }
  return undefined;
}

function certificateErrors(request: KubeObject, old: KubeObject): FieldError[] {
  const [now, before] = [statusOf(request).certificate ?? '', statusOf(old).certificate ?? ''];
  if (deepEqual(now, before)) return [];
  const why = now === '' || (before !== '' && chainError(before)) ? undefined : chainError(now);
  return [
    ...(why === undefined ? [] : [invalid(certificateAt, '<certificate data>', why)]),
    ...(before === ''
      ? []
      : [forbidden(certificateAt, 'updates may not modify existing certificate content')]),
  ];
}

/** Checks a write to `approval`. */
export const approvalErrors = (request: KubeObject, old: KubeObject): FieldError[] => [
  ...conditionErrors(request, old),
  ...changedConditions(request, old, true),
];

/** Checks a write to `status`, which must not add a decision. */
export const signatureErrors = (request: KubeObject, old: KubeObject): FieldError[] => {
  const certificate = certificateErrors(request, old);
  return [
    ...conditionErrors(request, old),
    ...certificate.filter(({ type }) => type === 'FieldValueInvalid'),
    ...changedConditions(request, old, false),
    ...certificate.filter(({ type }) => type === 'FieldValueForbidden'),
  ];
};
