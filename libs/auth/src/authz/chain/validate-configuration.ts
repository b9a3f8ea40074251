import { type Stats, statSync } from 'node:fs';
import { isAbsolute } from 'node:path';
import {
  type FieldError,
  FieldPath,
  fieldErrors,
  type Passes,
  validateDns1123Subdomain,
} from '@annex/machinery';
import type {
  AuthorizationConfiguration,
  AuthorizerConfiguration,
  ConnectionInfo,
  WebhookConfiguration,
} from './configuration.ts';
import { compileMatchConditions } from './match-conditions.ts';

/** The authorizer types that kube-apiserver accepts. */
export const authorizerTypes = ['ABAC', 'AlwaysAllow', 'AlwaysDeny', 'Node', 'RBAC', 'Webhook'];

/** Validates a configuration with kube-apiserver's messages, in passes. */
export function* validateAuthorizationConfiguration({
  authorizers,
}: AuthorizationConfiguration): Passes<FieldError[]> {
  const at = FieldPath.of('authorizers');
  if (authorizers.length === 0) {
    return [fieldErrors.required(at, 'at least one authorization mode must be defined')];
  }
  const seen = { types: new Set<string>(), names: new Set<string>() };
  const errors: FieldError[] = [];
  for (const [i, authorizer] of authorizers.entries())
    errors.push(...(yield* authorizerErrors(authorizer, at.index(i), seen)));
  return errors;
}

function* authorizerErrors(
  { type, name, webhook }: AuthorizerConfiguration,
  at: FieldPath,
  { types, names }: { types: Set<string>; names: Set<string> },
): Passes<FieldError[]> {
  if (type === '') return [fieldErrors.required(at.child('type'))];
  if (!authorizerTypes.includes(type)) {
    return [fieldErrors.notSupported(at.child('type'), type, authorizerTypes)];
  }
  if (types.has(type) && type !== 'Webhook') return [fieldErrors.duplicate(at.child('type'), type)];
  types.add(type);
  const errors = nameErrors(name, at.child('name'), names);
  names.add(name);
  if (type === 'Webhook') {
    if (webhook === undefined)
      errors.push(fieldErrors.required(at.child('webhook'), 'required when type=Webhook'));
    // kube-apiserver omits `webhook` from these field paths.
    else errors.push(...(yield* webhookErrors(webhook, at)));
  } else if (webhook !== undefined) {
    const why = 'may only be specified when type=Webhook';
    errors.push(fieldErrors.invalid(at.child('webhook'), 'non-null', why));
  }
  return errors;
}

function nameErrors(name: string, at: FieldPath, seen: ReadonlySet<string>): FieldError[] {
  if (name === '') return [fieldErrors.required(at)];
  if (seen.has(name)) return [fieldErrors.duplicate(at, name)];
  const problems = validateDns1123Subdomain(name);
  if (problems.length === 0) return [];
  return [fieldErrors.invalid(at, name, `authorizer name is invalid: ${problems.join(', ')}`)];
}

function* webhookErrors(webhook: WebhookConfiguration, at: FieldPath): Passes<FieldError[]> {
  const expressions = webhook.matchConditions.map(({ expression }) => expression);
  return [
    ...timeoutErrors(webhook.timeout, at.child('timeout')),
    ...ttlErrors(webhook.authorizedTTL, at.child('authorizedTTL')),
    ...ttlErrors(webhook.unauthorizedTTL, at.child('unauthorizedTTL')),
    ...choiceErrors(
      webhook.subjectAccessReviewVersion,
      ['v1', 'v1beta1'],
      at.child('subjectAccessReviewVersion'),
    ),
    ...conditionVersionErrors(webhook, at.child('matchConditionSubjectAccessReviewVersion')),
    ...choiceErrors(webhook.failurePolicy, ['NoOpinion', 'Deny'], at.child('failurePolicy')),
    ...connectionErrors(webhook.connectionInfo, at.child('connectionInfo')),
    ...(yield* compileMatchConditions(expressions, at.child('matchConditions'))).errors,
  ];
}

function timeoutErrors(timeout: number, at: FieldPath): FieldError[] {
  if (timeout === 0) return [fieldErrors.required(at)];
  if (timeout > 0 && timeout <= 30_000) return [];
  return [fieldErrors.invalid(at, goDuration(timeout), 'must be > 0s and <= 30s')];
}

const ttlErrors = (ttl: number, at: FieldPath): FieldError[] =>
  ttl < 0 ? [fieldErrors.invalid(at, goDuration(ttl), 'must be > 0s')] : [];

function choiceErrors(value: string, choices: readonly string[], at: FieldPath): FieldError[] {
  if (value === '') return [fieldErrors.required(at)];
  return choices.includes(value) ? [] : [fieldErrors.notSupported(at, value, choices)];
}

function conditionVersionErrors(webhook: WebhookConfiguration, at: FieldPath): FieldError[] {
  const version = webhook.matchConditionSubjectAccessReviewVersion;
  if (version !== '') return choiceErrors(version, ['v1'], at);
  if (webhook.matchConditions.length === 0) return [];
  return [fieldErrors.required(at, 'required if match conditions are specified')];
}

function connectionErrors({ type, kubeConfigFile }: ConnectionInfo, at: FieldPath): FieldError[] {
  const file = at.child('kubeConfigFile');
  if (type === '') return [fieldErrors.required(at.child('type'))];
  if (type === 'KubeConfigFile') return fileErrors(kubeConfigFile ?? '', file);
  if (type === 'InClusterConfig') {
    if (kubeConfigFile === undefined) return [];
    return [fieldErrors.invalid(file, kubeConfigFile, 'can only be set when type=KubeConfigFile')];
  }
  // kube-apiserver prints the fields by their Go names.
  const value = { Type: type, KubeConfigFile: kubeConfigFile ?? null };
  return [fieldErrors.notSupported(at.child('type'), value, ['InClusterConfig', 'KubeConfigFile'])];
}

function fileErrors(file: string, at: FieldPath): FieldError[] {
  if (file === '') return [fieldErrors.required(at)];
  if (!isAbsolute(file)) return [fieldErrors.invalid(at, file, 'must be an absolute path')];
  let stats: Stats;
  try {
    stats = statSync(file);
  } catch (error) {
    const missing = (error as NodeJS.ErrnoException).code === 'ENOENT';
    const why = missing ? `stat ${file}: no such file or directory` : (error as Error).message;
    return [fieldErrors.invalid(at, file, `error loading file: ${why}`)];
  }
  return stats.isFile() ? [] : [fieldErrors.invalid(at, file, 'must be a regular file')];
}

/** Formats a duration as Go does: `-5m0s`, `1.5s`, `250ms`. */
function goDuration(milliseconds: number): string {
  const sign = milliseconds < 0 ? '-' : '';
  const size = Math.abs(milliseconds);
  if (size < 1) return `${sign}${size * 1000}µs`;
  if (size < 1000) return `${sign}${size}ms`;
  const hours = Math.trunc(size / 3_600_000);
  const minutes = Math.trunc((size % 3_600_000) / 60_000);
  const seconds = (size % 60_000) / 1000;
  const parts = [...(hours > 0 ? [`${hours}h`] : []), ...(hours > 0 || minutes > 0 ? [`${minutes}m`] : [])];
  return `${sign}${parts.join('')}${seconds}s`;
}
