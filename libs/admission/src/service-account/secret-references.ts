import { isObject, parseGoBoolean } from '@annex/machinery';
import type { Container, Named, PodSpec, ServiceAccount, Volume } from './pod.ts';

const annotation = 'kubernetes.io/enforce-mountable-secrets';

/** Returns whether pods of an account may only use the secrets that it names. */
export const limitsSecrets = ({ metadata }: ServiceAccount): boolean =>
  parseGoBoolean(metadata.annotations?.[annotation] ?? '') === true;

const namesOf = (list: readonly { name?: string }[] | null | undefined): Set<string> =>
  new Set((list ?? []).map(({ name = '' }) => name));

/** Returns the error for a pod with a secret that its account does not name, else `undefined`. */
export function secretError(spec: PodSpec, account: ServiceAccount): string | undefined {
  const secrets = namesOf(account.secrets);
  const owner = account.metadata.name ?? '';
  for (const { secret } of spec.volumes ?? []) {
    if (secret === undefined || secrets.has(secret.secretName ?? '')) continue;
    return `volume with secret.secretName="${secret.secretName ?? ''}" ${notNamed(owner)}`;
  }
  return (
    inContainers(spec.initContainers, 'init container', secrets, owner) ??
    inContainers(spec.containers, 'container', secrets, owner) ??
    pullSecretError(spec, account)
  );
}

/** The same for ephemeral containers. */
export const ephemeralSecretError = (spec: PodSpec, account: ServiceAccount): string | undefined =>
  inContainers(
    spec.ephemeralContainers,
    'ephemeral container',
    namesOf(account.secrets),
    account.metadata.name ?? '',
  );

const notNamed = (account: string, what = 'secret'): string =>
  `is not allowed because service account ${account} does not reference that ${what}`;

function inContainers(
  containers: readonly Container[] | null | undefined,
  what: string,
  secrets: ReadonlySet<string>,
  account: string,
): string | undefined {
  for (const container of containers ?? []) {
    const where = `${what} ${container.name} with`;
    for (const { name, valueFrom } of container.env ?? []) {
      const secret = valueFrom?.secretKeyRef;
      if (secret === undefined || secrets.has(secret.name ?? '')) continue;
      return `${where} envVar ${name} referencing secret.secretName="${secret.name ?? ''}" ${notNamed(account)}`;
    }
    for (const { secretRef } of container.envFrom ?? []) {
      if (secretRef === undefined || secrets.has(secretRef.name ?? '')) continue;
      return `${where} envFrom referencing secret.secretName="${secretRef.name ?? ''}" ${notNamed(account)}`;
    }
  }
  return undefined;
}

function pullSecretError(spec: PodSpec, account: ServiceAccount): string | undefined {
  const secrets = namesOf(account.imagePullSecrets);
  const pulls = spec.imagePullSecrets ?? [];
  const index = pulls.findIndex(({ name = '' }) => !secrets.has(name));
  if (index === -1) return undefined;
  const name = pulls[index]?.name ?? '';
  const owner = account.metadata.name ?? '';
  return `imagePullSecrets[${index}].name="${name}" ${notNamed(owner, 'imagePullSecret')}`;
}

/** Returns whether a pod uses any secret. */
export function namesSecret(spec: PodSpec): boolean {
  const { imagePullSecrets, initContainers, containers, ephemeralContainers, volumes } = spec;
  const all = [...(initContainers ?? []), ...(containers ?? []), ...(ephemeralContainers ?? [])];
  const named = (secret: Named | undefined): boolean => Boolean(secret?.name);
  return (
    (imagePullSecrets ?? []).some(named) ||
    all.some(({ env }) => (env ?? []).some(({ valueFrom }) => named(valueFrom?.secretKeyRef))) ||
    all.some(({ envFrom }) => (envFrom ?? []).some(({ secretRef }) => named(secretRef))) ||
    (volumes ?? []).some(volumeNamesSecret)
  );
}

interface Source {
  secretName?: string;
  secretRef?: Named;
  nodePublishSecretRef?: Named;
  sources?: { secret?: Named }[] | null;
}

const volumeNamesSecret = (volume: Volume): boolean =>
  Object.values(volume).some((value) => {
    if (!isObject(value)) return false;
    const { secretName, secretRef, nodePublishSecretRef, sources } = value as Source;
    const refs = [secretRef, nodePublishSecretRef, ...(sources ?? []).map(({ secret }) => secret)];
    return Boolean(secretName) || refs.some((ref) => ref?.name);
  });
