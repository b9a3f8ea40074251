import {
  type FieldError,
  fieldErrors,
  type FieldPath,
  parseUrl,
  UrlError,
  trimRight,
} from '@annex/machinery';
import { certificatesOf } from '../authn/certificate-chain.ts';
import type { IssuerConfiguration } from './configuration.ts';

const { duplicate, invalid, required } = fieldErrors;

/** Validates the issuer of a configuration with kube-apiserver's messages. */
export function validateIssuer(
  issuer: IssuerConfiguration,
  at: FieldPath,
  disallowed: readonly string[],
): FieldError[] {
  const { url, egressSelectorType: egress } = issuer;
  return [
    ...(url === '' ? [required(at.child('url'))] : validateUrl(url, at.child('url'), disallowed)),
    ...validateDiscoveryUrl(issuer, at.child('discoveryURL')),
    ...validateAudiences(issuer, at),
    ...validateCA(issuer.certificateAuthority, at.child('certificateAuthority')),
    ...(['', 'controlplane', 'cluster'].includes(egress)
      ? []
      : [
          invalid(
            at.child('egressSelectorType'),
            egress,
            'egress selector must be either controlplane or cluster',
          ),
        ]),
  ];
}

function validateDiscoveryUrl({ url, discoveryURL }: IssuerConfiguration, at: FieldPath): FieldError[] {
  if (discoveryURL === '') return [];
  const same = url !== '' && trimRight(url, '/') === trimRight(discoveryURL, '/');
  return [
    ...(same ? [invalid(at, discoveryURL, 'discoveryURL must be different from URL')] : []),
    ...validateUrl(discoveryURL, at, []),
  ];
}

function validateUrl(text: string, at: FieldPath, disallowed: readonly string[]): FieldError[] {
  const errors: FieldError[] = [];
  if (disallowed.includes(text)) {
    const names = [...disallowed].sort().join(' ');
    errors.push(invalid(at, text, `URL must not overlap with disallowed issuers: [${names}]`));
  }
  let url;
  try {
    url = parseUrl(text);
  } catch (error) {
    if (!(error instanceof UrlError)) throw error;
    return [...errors, invalid(at, text, error.message)];
  }
  const fragment = url.text.includes('#');
  if (url.scheme !== 'https') errors.push(invalid(at, text, 'URL scheme must be https'));
  if (url.user !== undefined) errors.push(invalid(at, text, 'URL must not contain a username or password'));
  if (url.rawQuery !== '') errors.push(invalid(at, text, 'URL must not contain a query'));
  if (fragment) errors.push(invalid(at, text, 'URL must not contain a fragment'));
  return errors;
}

function validateAudiences({ audiences, audienceMatchPolicy: policy }: IssuerConfiguration, at: FieldPath) {
  const list = at.child('audiences');
  if (audiences.length === 0) return [required(list, `at least one ${list} is required`)];
  const errors = audiences.flatMap((audience, i) => [
    ...(audience === '' ? [required(list.index(i))] : []),
    ...(audiences.indexOf(audience) < i ? [duplicate(list.index(i), audience)] : []),
  ]);
  const policyAt = at.child('audienceMatchPolicy');
  if (audiences.length > 1 && policy !== 'MatchAny') {
    errors.push(invalid(policyAt, policy, 'audienceMatchPolicy must be MatchAny for multiple audiences'));
  }
  if (audiences.length === 1 && policy !== '' && policy !== 'MatchAny') {
    errors.push(
      invalid(policyAt, policy, 'audienceMatchPolicy must be empty or MatchAny for single audience'),
    );
  }
  return errors;
}

function validateCA(pem: string, at: FieldPath): FieldError[] {
  if (pem === '') return [];
  const refused = (why: string) => [invalid(at, '<omitted>', why)];
  try {
    if (certificatesOf(pem).length > 0) return [];
  } catch {
    return refused('x509: malformed certificate');
  }
  return refused('data does not contain any valid RSA or ECDSA certificates');
}
