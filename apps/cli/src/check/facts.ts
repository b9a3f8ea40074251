import type { Client, ClientResponse } from '@annex/client';
import { isObject, type JsonObject, type KubeObject, parseJson } from '@annex/machinery';
import type { ApiService, RemoteApiService } from '@annex/aggregation';
import type { Endpoint, ProxyClientCertificate } from '@annex/http';
import type { Probe } from './probe.ts';

/** What a check begins with, and what its steps find out for those after them. */
export interface Facts {
  readonly client: Client;
  readonly name: string;
  readonly timeoutMs: number;
  /** As whom the extension server asks, where somebody said so. */
  readonly extensionUser: string | undefined;
  readonly proxyClient: ProxyClientCertificate | undefined;
  apiService?: RemoteApiService;
  service?: ServiceObject;
  /** Where the server listens. */
  endpoints: Endpoint[];
  /** The users of the Pods behind the Service. */
  podUsers: Set<string>;
  probe?: Probe;
  trust?: RequestHeaderTrust;
}

/** A Service, as far as it matters here. */
export interface ServiceObject extends KubeObject {
  spec?: {
    type?: string;
    externalName?: string;
    clusterIP?: string;
    selector?: Record<string, string>;
    ports?: { name?: string; port: number; targetPort?: number | string }[];
  };
}

/** What the ConfigMap `extension-apiserver-authentication` says of the API server's proxy. */
export interface RequestHeaderTrust {
  /** PEM. */
  caBundle: string;
  allowedNames: readonly string[];
  usernameHeader: string;
  groupHeader: string;
}

/** An answer of the API server, its text decoded where that is an object. */
export interface Requested {
  status: number;
  contentType: string;
  text: string;
  object: JsonObject | undefined;
}

/** Asks the API server. Throws where there is no answer at all. */
export async function ask(
  { client, timeoutMs }: Pick<Facts, 'client' | 'timeoutMs'>,
  path: string,
  more: { body?: unknown; headers?: Record<string, string> } = {},
): Promise<Requested> {
  // Longer than any step of the API server's own, which says more about its failure than a timeout here.
  const limits = { timeoutMs: timeoutMs + 10_000, maxBytes: 64 * 1024 * 1024 };
  const method = more.body === undefined ? 'GET' : 'POST';
  return decoded(await client.send({ ...more, ...limits, method, path }));
}

export function decoded({ status, headers, body }: ClientResponse): Requested {
  const text = body.toString();
  return { status, contentType: headers['content-type'] ?? '', text, object: objectOf(text) };
}

function objectOf(text: string): JsonObject | undefined {
  try {
    const value = parseJson(text);
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

/** What an answer says of its failure, in one line. */
export function errorOf({ status, text, object }: Requested): string {
  const message = typeof object?.message === 'string' ? object.message : text;
  const [line = ''] = message.trim().split('\n');
  return line === '' ? String(status) : `${status}: ${line.slice(0, 300)}`;
}

/** Reads objects of a kind that the check knows. Throws an Error with the API server's complaint. */
export async function read<T>(facts: Facts, path: string): Promise<T | undefined> {
  const requested = await ask(facts, path);
  if (requested.status === 404) return undefined;
  if (requested.status !== 200 || requested.object === undefined) {
    throw new Error(`GET ${path} is answered ${errorOf(requested)}`);
  }
  return requested.object as T;
}

export const serviceName = ({ spec: { service } }: RemoteApiService): string =>
  `${service.namespace}/${service.name}`;

/** The name in the certificate of the server of an APIService. */
export const tlsName = ({ spec: { service } }: RemoteApiService): string =>
  `${service.name}.${service.namespace}.svc`;

export const groupVersion = ({ spec }: ApiService): string =>
  spec.group ? `${spec.group}/${spec.version}` : spec.version;

/** The path of the version that an APIService stands for. */
export const versionPath = (apiService: ApiService): string =>
  `/${apiService.spec.group ? 'apis' : 'api'}/${groupVersion(apiService)}`;
