import { createLegacyTokenIssuer, type LegacyTokenIssuer } from '@annex/auth';
import { isObject, isReason, type JsonObject, type KubeObject } from '@annex/machinery';
import { deleteOptions } from './api.ts';
import type { Controller, ControllerDeps } from './controller.ts';
import type { SharedInformer } from './shared-informers.ts';
import { WorkQueue } from './work-queue.ts';

const secretType = 'kubernetes.io/service-account-token';
const nameAnnotation = 'kubernetes.io/service-account.name';
const uidAnnotation = 'kubernetes.io/service-account.uid';

interface ServiceAccount extends KubeObject {
  secrets?: { name?: string }[];
}

const keyOf = ({ metadata }: KubeObject): string => `${metadata.namespace}/${metadata.name}`;
const accountOf = ({ metadata }: KubeObject): string => metadata.annotations?.[nameAnnotation] ?? '';
const secretPath = (key: string): string => `/api/v1/namespaces/${key.replace('/', '/secrets/')}`;
const accountPath = (namespace: string, name: string): string =>
  `/api/v1/namespaces/${namespace}/serviceaccounts/${name}`;

/** Adds tokens to Secrets of type `kubernetes.io/service-account-token`, and deletes the Secrets with their ServiceAccount. */
export function serviceAccountTokens(deps: ControllerDeps): Controller {
  const key = deps.serviceAccountKey;
  if (key === undefined) {
    deps.log.warn('there is no key for the tokens in Secrets: they stay empty');
    return { start: () => undefined, stop: () => Promise.resolve() };
  }
  const secrets = deps.informers.of('/api/v1/secrets', { fieldSelector: `type=${secretType}` });
  const accounts = deps.informers.of<ServiceAccount>('/api/v1/serviceaccounts');
  const tokens = new SecretTokens(deps, secrets, accounts, createLegacyTokenIssuer(key));
  const queue = new WorkQueue<string>(
    { name: 'serviceaccount_tokens_secret', workers: 5, work: (secret) => tokens.sync(secret) },
    deps,
  );
  const look = (secret: KubeObject) => queue.add(keyOf(secret));
  secrets.listen({ added: look, modified: look, deleted: look });
  accounts.listen({
    deleted({ metadata: { namespace, name } }) {
      for (const secret of secrets.list()) {
        if (secret.metadata.namespace === namespace && accountOf(secret) === name) look(secret);
      }
    },
  });
  return {
    start: () => void Promise.all([secrets.start(), accounts.start()]).then(() => queue.start()),
    stop: () => queue.stop(),
  };
}

class SecretTokens {
  readonly #deps: ControllerDeps;
  readonly #secrets: SharedInformer;
  readonly #accounts: SharedInformer<ServiceAccount>;
  readonly #issue: LegacyTokenIssuer;

  constructor(
    deps: ControllerDeps,
    secrets: SharedInformer,
    accounts: SharedInformer<ServiceAccount>,
    issue: LegacyTokenIssuer,
  ) {
    this.#deps = deps;
    this.#secrets = secrets;
    this.#accounts = accounts;
    this.#issue = issue;
  }

  async sync(key: string): Promise<void> {
    const secret = this.#secrets.get(key);
    if (secret === undefined) return await this.#forget(key);
    const account = await this.#account(secret);
    if (account === undefined) await this.#remove(secret);
    else if (!isFilled(secret, this.#deps.rootCa)) await this.#fill(secret, account);
  }

  /** Resolves to the ServiceAccount of a Secret; reads it from the server if the cache does not contain it. */
  async #account(secret: KubeObject): Promise<ServiceAccount | undefined> {
    const { namespace = '', annotations = {} } = secret.metadata;
    const uid = annotations[uidAnnotation] ?? '';
    const isMeant = (found: ServiceAccount | undefined) =>
      found !== undefined && (uid === '' || found.metadata.uid === uid);
    const known = this.#accounts.get(`${namespace}/${accountOf(secret)}`);
    if (isMeant(known)) return known;
    const found = await this.#deps.api.find<ServiceAccount>(accountPath(namespace, accountOf(secret)));
    return isMeant(found) ? found : undefined;
  }

  async #fill(known: KubeObject, account: ServiceAccount): Promise<void> {
    const { api, rootCa } = this.#deps;
    const path = secretPath(keyOf(known));
    const secret = await api.find<KubeObject>(path);
    // The watch will report a concurrent change.
    if (secret?.metadata.resourceVersion !== known.metadata.resourceVersion || secret === undefined) return;
    const { name = '', namespace = '' } = secret.metadata;
    const data = dataOf(secret);
    const filled = {
      ...data,
      'ca.crt': base64(rootCa),
      namespace: data.namespace || base64(namespace),
      token: data.token || base64(await this.#issue(account, name)),
    };
    const annotations = {
      ...secret.metadata.annotations,
      [nameAnnotation]: account.metadata.name ?? '',
      [uidAnnotation]: account.metadata.uid ?? '',
    };
    const body = { ...secret, metadata: { ...secret.metadata, annotations }, data: filled };
    await api.json({ method: 'PUT', path, body }).catch((error: unknown) => {
      if (!isReason(error, 'Conflict') && !isReason(error, 'NotFound')) throw error;
    });
  }

  async #remove(secret: KubeObject): Promise<void> {
    const { uid = '' } = secret.metadata;
    const path = secretPath(keyOf(secret));
    const body = deleteOptions({ preconditions: { uid } });
    await this.#deps.api.json({ method: 'DELETE', path, body }).catch((error: unknown) => {
      if (!isReason(error, 'NotFound') && !isReason(error, 'Conflict')) throw error;
    });
  }

  /** Removes a deleted Secret from the lists of ServiceAccounts. */
  async #forget(key: string): Promise<void> {
    const [namespace = '', secret = ''] = key.split('/');
    const names = ({ secrets = [] }: ServiceAccount) => secrets.some(({ name }) => name === secret);
    for (const known of this.#accounts.list()) {
      if (known.metadata.namespace !== namespace || !names(known)) continue;
      const path = accountPath(namespace, known.metadata.name ?? '');
      const account = await this.#deps.api.find<ServiceAccount>(path);
      if (account === undefined || !names(account)) continue;
      const secrets = (account.secrets ?? []).filter(({ name }) => name !== secret);
      await this.#deps.api.json({ method: 'PUT', path, body: { ...account, secrets } });
    }
  }
}

const base64 = (text: string): string => Buffer.from(text).toString('base64');

const dataOf = ({ data }: KubeObject): JsonObject => (isObject(data) ? data : {});

function isFilled(secret: KubeObject, rootCa: string): boolean {
  const { token, namespace, 'ca.crt': ca } = dataOf(secret);
  return Boolean(token) && Boolean(namespace) && (rootCa === '' || ca === base64(rootCa));
}
