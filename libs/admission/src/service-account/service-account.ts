import { isObject, unclassified } from '@annex/machinery';
import {
  type AdmissionPlugin,
  type AdmissionAttributes,
  generatedName,
  type ServerDeps,
} from '@annex/server';
import { refuse } from '../plugins/refuse.ts';
import type { PodSpec, ServiceAccount } from './pod.ts';
import { secretError, ephemeralSecretError, limitsSecrets, namesSecret } from './secret-references.ts';
import { mountToken } from './token-volume.ts';

const prefix = '/registry/serviceaccounts/';
const byDefault = 'default';
const mirrorAnnotation = 'kubernetes.io/config.mirror';
/** The number of lookups of an account that a controller creates, and the milliseconds between them. */
const [attempts, waitMs] = [10, 150];

type FindAccount = (attributes: AdmissionAttributes, name: string) => Promise<ServiceAccount>;

/**
 * kube-apiserver's ServiceAccount plugin: sets the default account of pods, a token of the account, and its
 * image pull secrets. Source: "ServiceAccount" of the admission controllers documentation.
 */
export function serviceAccountAdmission(deps: ServerDeps): AdmissionPlugin {
  const find = accountFinder(deps);
  return {
    name: 'ServiceAccount',
    resources: ['/pods'],
    async mutate(attributes) {
      const { operation, subresource, object } = attributes;
      if (operation !== 'CREATE' || subresource !== '' || object === undefined) return;
      if (!isMirror(attributes)) object.spec = await withAccount(attributes, find);
      await validate(attributes, find);
    },
    validate: (attributes) => validate(attributes, find),
  };
}

const accountFinder =
  ({ clock, feed }: ServerDeps): FindAccount =>
  async (attributes, name) => {
    const { namespace } = attributes;
    for (let left = name === byDefault ? attempts : 1; left > 0; left--) {
      const cache = feed.objects(prefix);
      await cache.waitFor();
      const found = cache.get(`${prefix}${namespace}/${name}`);
      if (found !== undefined) return found.value.object;
      if (left > 1) await clock.sleep(waitMs);
    }
    const place = `${namespace}/${name}`;
    const why = `serviceaccount ${JSON.stringify(name)} not found`;
    throw refuse(attributes, `error looking up service account ${place}: ${why}`);
  };

const specOf = ({ object }: AdmissionAttributes): PodSpec =>
  (isObject(object?.spec) ? object.spec : {}) as PodSpec;

const isMirror = ({ object }: AdmissionAttributes): boolean =>
  Object.hasOwn(object?.metadata.annotations ?? {}, mirrorAnnotation);

async function withAccount(attributes: AdmissionAttributes, find: FindAccount): Promise<PodSpec> {
  const spec = { ...specOf(attributes) };
  const name = spec.serviceAccountName || byDefault;
  Object.assign(spec, { serviceAccountName: name, serviceAccount: name });
  const account = await find(attributes, name);
  if (spec.automountServiceAccountToken ?? account.automountServiceAccountToken ?? true) {
    mountToken(spec, generatedName);
  }
  const own = (account.imagePullSecrets ?? []).map(({ name: secret = '' }) => ({ name: secret }));
  if ((spec.imagePullSecrets ?? []).length === 0 && own.length > 0) spec.imagePullSecrets = own;
  return spec;
}

async function validate(attributes: AdmissionAttributes, find: FindAccount): Promise<void> {
  const { operation, subresource, object, namespace } = attributes;
  const isCreated = operation === 'CREATE' && subresource === '';
  const isExtended = operation === 'UPDATE' && subresource === 'ephemeralcontainers';
  if (object === undefined || (!isCreated && !isExtended)) return;
  const spec = specOf(attributes);
  if (isCreated && isMirror(attributes)) {
    const why = mirrorPodError(spec);
    if (why !== undefined) throw refuse(attributes, why);
    return;
  }
  const name = spec.serviceAccountName ?? '';
  if (name === '') {
    throw refuse(
      attributes,
      `no service account specified for pod ${namespace}/${object.metadata.name ?? ''}`,
    );
  }
  const account = await find(attributes, name);
  if (!limitsSecrets(account)) return;
  const why = isCreated ? secretError(spec, account) : ephemeralSecretError(spec, account);
  if (why === undefined) return;
  throw isCreated ? refuse(attributes, why) : unclassified(why);
}

/** Returns the error for references of a mirror pod, which cannot be checked. */
function mirrorPodError(spec: PodSpec): string | undefined {
  if (spec.serviceAccountName) return 'a mirror pod may not reference service accounts';
  if (namesSecret(spec)) return 'a mirror pod may not reference secrets';
  const hasToken = (spec.volumes ?? []).some(({ projected }) =>
    (projected?.sources ?? []).some(({ serviceAccountToken }) => serviceAccountToken !== undefined),
  );
  return hasToken ? 'a mirror pod may not use ServiceAccountToken volume projections' : undefined;
}
