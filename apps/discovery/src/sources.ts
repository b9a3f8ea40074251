import type { IncomingHttpHeaders, OutgoingHttpHeaders } from 'node:http';
import type { UserInfo } from '@annex/auth';

/** The members of an APIService that the documents contain. */
export interface Registration {
  metadata: { name?: string };
  spec: {
    group?: string;
    version: string;
    service?: { namespace: string; name: string; port?: number } | null;
    groupPriorityMinimum: number;
    versionPriority: number;
  };
  status?: { conditions?: { type: string; status: string }[] };
}

/** The currently registered versions. */
export interface Registrations<R extends Registration = Registration> {
  all(): Iterable<R>;
  /** Calls the listener after every change of one of them, with the version that replaces it; returns the function that ends it. */
  onChange(listener: (change: { name: string; after?: R }) => void): () => void;
}

/** A GET request to the server of a version. */
export interface RemoteRequest {
  path: string;
  user: UserInfo;
  headers?: OutgoingHttpHeaders;
  timeoutMs: number;
  maxBytes: number;
}

export interface RemoteResponse {
  status: number;
  headers: IncomingHttpHeaders;
  body: Buffer;
}

/** Sends a request to the server of a registered version. Throws if it cannot be reached. */
export type FetchRemote<R extends Registration = Registration> = (
  registration: R,
  request: RemoteRequest,
) => Promise<RemoteResponse>;

export const groupOf = (registration: Registration): string => registration.spec.group ?? '';

export const versionKey = (group: string, version: string): string => `${group}/${version}`;

export const isAvailable = (registration: Registration): boolean =>
  registration.status?.conditions?.some(({ type, status }) => type === 'Available' && status === 'True') ??
  false;
