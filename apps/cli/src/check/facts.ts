import type { Client, ClientResponse } from '@annex/client';
import { isObject, type JsonObject, type KubeObject, parseJson } from '@annex/machinery';
import type { ApiService, RemoteApiService } from '@annex/aggregation';
import type { Endpoint, ProxyClientCertificate } from '@annex/http';
import type { Probe } from './probe.ts';

/** The input of a check, and the results of its steps for later steps. */
export interface Facts {
  readonly client: Client;
  readonly name: string;
  readonly timeoutMs: number;
  /** The user of the extension server, if the option is set. */
  readonly extensionUser: string | undefined;
  readonly proxyClient: ProxyClientCertificate | undefined;
  apiService?: RemoteApiService;
  service?: ServiceObject;
  /** The addresses of the server. */
  endpoints: Endpoint[];
  /** The users of the Pods behind the Service. */
  podUsers: Set<string>;
  probe?: Probe;
  trust?: RequestHeaderTrust;
}

/** The members of a Service that the check reads. */
export interface ServiceObject extends KubeObject {
  spec?: {
    type?: string;
    externalName?: string;
    clusterIP?: string;
    selector?: Record<string, string>;
    ports?: { name?: string; port: number; targetPort?: number | string }[];
  };
}

/** The content of the ConfigMap `extension-apiserver-authentication` about the API server's proxy. */
export interface RequestHeaderTrust {
  /** PEM. */
  cas: string;
  allowedNames: readonly string[];
  usernameHeader: string;
  groupHeader: string;
}

/** A response of the API server; `object` is the decoded body if it is a JSON object. */
export interface Requested {
  status: number;
  contentType: string;
  text: string;
  object: JsonObject | undefined;
}

/** Sends a request to the API server. Throws if there is no response. */
export async function ask(
  { client, timeoutMs }: Pick<Facts, 'client' | 'timeoutMs'>,
  path: string,
  more: { body?: unknown; headers?: Record<string, string> } = {},
): Promise<Requested> {
  // Longer than any timeout of the API server, whose error is more specific than a timeout here.
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

/** Returns the error of a response on one line. */
export function errorOf({ status, text, object }: Requested): string {
  const message = typeof object?.message === 'string' ? object.message : text;
  const [line = ''] = message.trim().split('\n');
  return line === '' ? String(status) : `${status}: ${line.slice(0, 300)}`;
}

/** Reads an object of the given type. Throws an Error with the API server's message. */
export async function read<T>(facts: Facts, path: string): Promise<T | undefined> {
  const requested = await ask(facts, path);
  if (requested.status === 404) return undefined;
  if (requested.status !== 200 || requested.object === undefined) {
    throw new Error(`GET ${path} returned ${errorOf(requested)}`);
  }
  return requested.object as T;
}

export const serviceName = ({ spec: { service } }: RemoteApiService): string =>
  `${service.namespace}/${service.name}`;

/** Returns the server name for the TLS certificate of an APIService. */
export const tlsName = ({ spec: { service } }: RemoteApiService): string =>
  `${service.name}.${service.namespace}.svc`;

export const groupVersion = ({ spec }: ApiService): string =>
  spec.group ? `${spec.group}/${spec.version}` : spec.version;

/** Returns the path of the version that an APIService registers. */
export const versionPath = (apiService: ApiService): string =>
  `/${apiService.spec.group ? 'apis' : 'api'}/${groupVersion(apiService)}`;
