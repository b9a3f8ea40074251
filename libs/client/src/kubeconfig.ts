import { Buffer } from 'node:buffer';
import { dirname, resolve } from 'node:path';
import { decodeYaml, getOwn, stringifyJson } from '@annex/machinery';
import { readTextFileSync } from '@annex/runtime';
import { type ClientConfig, ClientConfigError } from './config.ts';
import { tokenFile } from './followed-files.ts';
import { readProxyUrl } from './proxy/choose-proxy.ts';

/** The parts of a kubeconfig to use. */
export interface KubeconfigOptions {
  /** The context; default: the current one. */
  context?: string;
}

interface Named {
  name: string;
}
interface Cluster {
  server?: string;
  'certificate-authority'?: string;
  'certificate-authority-data'?: string;
  'insecure-skip-tls-verify'?: boolean;
  'tls-server-name'?: string;
  'proxy-url'?: string;
}
interface User {
  'client-certificate'?: string;
  'client-certificate-data'?: string;
  'client-key'?: string;
  'client-key-data'?: string;
  token?: string;
  tokenFile?: string;
  username?: string;
  password?: string;
  as?: string;
  'as-uid'?: string;
  'as-groups'?: string[];
  'as-user-extra'?: Record<string, string[]>;
  exec?: unknown;
  'auth-provider'?: unknown;
}
interface Context {
  cluster?: string;
  user?: string;
  namespace?: string;
}
interface Kubeconfig {
  'current-context'?: string;
  clusters?: (Named & { cluster?: Cluster | null })[] | null;
  users?: (Named & { user?: User | null })[] | null;
  contexts?: (Named & { context?: Context | null })[] | null;
}

/**
 * Reads a kubeconfig file. Paths in it are relative to its folder. Rejects with {@link ClientConfigError}.
 */
export async function loadKubeconfig(file: string, options: KubeconfigOptions = {}): Promise<ClientConfig> {
  let text: string;
  try {
    text = readTextFileSync(file);
  } catch (error) {
    throw new ClientConfigError(`the kubeconfig ${file} cannot be read: ${(error as Error).message}`);
  }
  return await parseKubeconfig(text, { ...options, folder: dirname(resolve(file)) });
}

/** Reads the text of a kubeconfig. Rejects with {@link ClientConfigError}. */
export async function parseKubeconfig(
  text: string,
  options: KubeconfigOptions & { folder?: string } = {},
): Promise<ClientConfig> {
  const config = await decode(text);
  const name = options.context ?? config['current-context'] ?? '';
  const context = find(config.contexts, name, 'context').context ?? {};
  const cluster = find(config.clusters, context.cluster ?? '', 'cluster').cluster ?? {};
  const user = context.user ? (find(config.users, context.user, 'user').user ?? {}) : {};
  refuseUnsupported(user);
  if (!cluster.server)
    throw new ClientConfigError(`the cluster ${context.cluster} of the kubeconfig has no server`);
  const folder = options.folder ?? '.';
  return defined({
    server: cluster.server,
    ca: content(cluster['certificate-authority-data'], cluster['certificate-authority'], folder),
    tlsServerName: cluster['tls-server-name'],
    insecureSkipTlsVerify: cluster['insecure-skip-tls-verify'],
    proxyUrl: checkedProxyUrl(cluster['proxy-url'], context.cluster),
    ...sentCredentials(cluster.server, credentialsOf(user, folder)),
    tlsFiles: tlsFilesOf(cluster, user, folder),
    namespace: context.namespace,
  });
}

/** The credentials of a user of a kubeconfig. */
export type Credentials = Pick<
  ClientConfig,
  'cert' | 'key' | 'token' | 'username' | 'password' | 'impersonate'
>;

/**
 * Reads all users of a kubeconfig file, by name, and the user of the current context. Rejects with
 * {@link ClientConfigError}.
 */
export async function loadUsers(file: string): Promise<{ users: Map<string, Credentials>; current: string }> {
  const config = await decode(readTextFileSync(file));
  const folder = dirname(resolve(file));
  const users = new Map<string, Credentials>();
  for (const { name, user } of config.users ?? []) {
    refuseUnsupported(user ?? {});
    users.set(name, credentialsOf(user ?? {}, folder));
  }
  const context = config.contexts?.find(({ name }) => name === config['current-context']);
  return { users, current: context?.context?.user ?? '' };
}

/** As in client-go, credentials are sent over TLS only. */
function sentCredentials(server: string, { impersonate, ...secrets }: Credentials): Credentials {
  const isPlain = server.toLowerCase().startsWith('http:');
  return { ...(isPlain ? {} : secrets), ...(impersonate ? { impersonate } : {}) };
}

const credentialsOf = (user: User, folder: string): Credentials =>
  defined({
    cert: content(user['client-certificate-data'], user['client-certificate'], folder),
    key: content(user['client-key-data'], user['client-key'], folder),
    token: user.tokenFile ? tokenFile(resolve(folder, user.tokenFile)) : user.token,
    username: user.username,
    password: user.password,
    impersonate: impersonation(user),
  });

/** The files of certificates and keys, unless the kubeconfig has their content. */
function tlsFilesOf(cluster: Cluster, user: User, folder: string): ClientConfig['tlsFiles'] {
  const files = defined({
    ca: unlessData(cluster['certificate-authority-data'], cluster['certificate-authority'], folder),
    cert: unlessData(user['client-certificate-data'], user['client-certificate'], folder),
    key: unlessData(user['client-key-data'], user['client-key'], folder),
  });
  return Object.keys(files).length === 0 ? undefined : files;
}

const unlessData = (data: string | undefined, file: string | undefined, folder: string) =>
  data || !file ? undefined : resolve(folder, file);

async function decode(text: string): Promise<Kubeconfig> {
  let value: unknown;
  try {
    ({ value } = await decodeYaml(text));
  } catch (error) {
    throw new ClientConfigError(`the kubeconfig is not YAML: ${(error as Error).message}`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new ClientConfigError('the kubeconfig is empty');
  }
  requireSections(value as Record<string, unknown>);
  return value as Kubeconfig;
}

const sections = { clusters: 'cluster', users: 'user', contexts: 'context' } as const;
const texts = [
  ...['server', 'certificate-authority', 'certificate-authority-data', 'tls-server-name', 'proxy-url'],
  ...['client-certificate', 'client-certificate-data', 'client-key', 'client-key-data', 'token', 'tokenFile'],
  ...['username', 'password', 'as', 'as-uid', 'cluster', 'user', 'namespace'],
];
/** The types of the fields of entries. Other fields are not read. */
const fieldTypes = new Map<string, (value: unknown) => boolean>([
  ...texts.map((field) => [field, isText] as const),
  ['insecure-skip-tls-verify', (value) => typeof value === 'boolean'],
  ['as-groups', isListOfTexts],
  ['as-user-extra', (value) => isRecord(value) && Object.values(value).every(isListOfTexts)],
]);

/** Throws if a section is not a list of named entries, or a field of an entry has another type. */
function requireSections(config: Record<string, unknown>): void {
  for (const [section, member] of Object.entries(sections)) {
    const list = getOwn(config, section) ?? [];
    if (!Array.isArray(list)) throw new ClientConfigError(`${section} of the kubeconfig is not a list`);
    for (const [i, entry] of list.entries()) {
      const at = `${section}[${i}]`;
      if (!isRecord(entry) || typeof entry.name !== 'string')
        throw new ClientConfigError(`${at} of the kubeconfig has no name`);
      requireFields(entry[member] ?? {}, `${at}.${member}`);
    }
  }
}

function requireFields(fields: unknown, at: string): void {
  if (!isRecord(fields)) throw new ClientConfigError(`${at} of the kubeconfig is not an object`);
  for (const [field, value] of Object.entries(fields)) {
    if (value !== null && fieldTypes.get(field)?.(value) === false)
      throw new ClientConfigError(`${at}.${field} of the kubeconfig has an invalid type`);
  }
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isText(value: unknown): boolean {
  return typeof value === 'string';
}

function isListOfTexts(value: unknown): boolean {
  return Array.isArray(value) && value.every(isText);
}

function find<T extends Named>(list: readonly T[] | null | undefined, name: string, what: string): T {
  const found = list?.find((entry) => entry.name === name);
  if (found === undefined)
    throw new ClientConfigError(`the kubeconfig has no ${what} ${stringifyJson(name)}`);
  return found;
}

function refuseUnsupported(user: User): void {
  const refused = {
    exec: user.exec,
    'auth-provider': user['auth-provider'],
  };
  for (const [field, value] of Object.entries(refused)) {
    if (value) throw new ClientConfigError(`${field} of the kubeconfig is not supported by this client`);
  }
}

/** Throws with the text of client-go, without the credentials of the URL. */
function checkedProxyUrl(text: string | undefined, cluster = ''): string | undefined {
  if (!text) return undefined;
  try {
    readProxyUrl(text);
    return text;
  } catch (error) {
    const shown = stringifyJson(text.slice(text.lastIndexOf('@') + 1));
    throw new ClientConfigError(
      `invalid 'proxy-url' ${shown} for cluster ${stringifyJson(cluster)}: ${(error as Error).message}`,
    );
  }
}

function content(data: string | undefined, file: string | undefined, folder: string): string | undefined {
  if (data) return Buffer.from(data, 'base64').toString();
  if (!file) return undefined;
  try {
    return readTextFileSync(resolve(folder, file));
  } catch (error) {
    throw new ClientConfigError(`${file} of the kubeconfig cannot be read: ${(error as Error).message}`);
  }
}

function impersonation(user: User): ClientConfig['impersonate'] {
  if (!user.as) return undefined;
  return defined({
    user: user.as,
    uid: user['as-uid'],
    groups: user['as-groups'],
    extra: user['as-user-extra'],
  });
}

type Defined<T> = { [K in keyof T as undefined extends T[K] ? never : K]: T[K] } & {
  [K in keyof T as undefined extends T[K] ? K : never]?: Exclude<T[K], undefined>;
};

const defined = <T extends object>(object: T): Defined<T> =>
  Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Defined<T>;
