import { vi } from 'vitest';
import type { IncomingHttpHeaders } from 'node:http';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Status } from '@annex/machinery';
import { createTarget, type Credential, loadTestCA, type Target, type TargetRequest } from '@annex/testkit';
import type { Runner, RunnerOptions } from '../runners/runner.ts';
import { startAnnex } from '../runners/start-annex.ts';
import { patienceMs } from './patience.ts';
import { type RawResponse, rawExchange, type RawOptions } from './raw-connection.ts';

/** A whole answer. */
export interface Response {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** A server under attack, which logs all it can. */
export interface HostileServer extends AsyncDisposable {
  annex: Runner;
  admin: Credential;
  /** A client certificate of the cluster's authority. */
  credential(commonName: string, ...organizations: string[]): Credential;
  /** Sends a request, as the administrator where nobody else is named. */
  ask(request: Partial<TargetRequest> & { path: string }): Promise<Response>;
  /** The same for what must succeed: throws with the answer where it does not. */
  make(method: string, path: string, body: object): Promise<Record<string, never>>;
  /** Makes a custom resource and waits until it is served at this path. */
  makeKind(crd: object, servedAt: string): Promise<void>;
  /** Sends bytes as they are over a connection of their own, as the administrator where nobody else is named. */
  raw(bytes: string | Uint8Array, options?: RawOptions): Promise<RawResponse>;
  /** The resident memory that the metrics of the front proxy's process show. */
  residentMiB(): Promise<number>;
  /** Texts that must not come up in the log. */
  secrets: Set<string>;
  /** The lines of the log that hold a secret; all that the server must not write. */
  leaks(): string[];
}

/** Starts a server that logs at its most talkative. */
export const startHostile = (...args: string[]): Promise<HostileServer> => startHostileWith({ args });

/** The same with other options of the runner. */
export async function startHostileWith({ args = [], ...options }: RunnerOptions): Promise<HostileServer> {
  const annex = await startAnnex({ ...options, args: ['--log-level=debug', ...args] });
  const target = createTarget(annex.url, annex.pki);
  const ca = loadTestCA(annex.pki);
  const credential = (commonName: string, ...organizations: string[]) =>
    ca.issue({ commonName, organizations });
  const admin = credential('admin', 'system:masters');
  const secrets = new Set(privateKeys(annex.pki));
  const ask: HostileServer['ask'] = (request) => askTarget(target, request);
  const make: HostileServer['make'] = async (method, path, body) => {
    const response = await ask({ method, path, headers: json, body: JSON.stringify(body) });
    if (response.status >= 300) throw new Error(`${method} ${path}: ${response.status} ${response.text}`);
    return JSON.parse(response.text) as Record<string, never>;
  };
  return {
    annex,
    admin,
    credential,
    ask,
    make,
    async makeKind(crd, servedAt) {
      await make('POST', '/apis/apiextensions.k8s.io/v1/customresourcedefinitions', crd);
      await vi.waitUntil(async () => (await ask({ path: servedAt })).status === 200, { timeout: patienceMs });
    },
    raw: (bytes, options) => rawExchange(annex.url, bytes, { as: admin, ...options }),
    async residentMiB() {
      const { text } = await ask({ path: '/metrics' });
      return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1]) / 1024 / 1024;
    },
    secrets,
    leaks() {
      const lines = annex.lines();
      if (!lines.some((line) => line.includes('auditId'))) throw new Error('nothing is logged');
      return lines.filter((line) => secretLook.test(line) || holdsAny(line, secrets));
    },
    [Symbol.asyncDispose]: async () => {
      target.close();
      await annex.stop();
    },
  };
}

const json = { 'Content-Type': 'application/json' };

const secretLook = /PRIVATE KEY|\beyJ[\w-]+\.[\w-]+\.|Bearer (?!\[redacted\])/;

const holdsAny = (line: string, secrets: Iterable<string>) =>
  [...secrets].some((secret) => line.includes(secret));

/** A line out of the middle of every private key. */
const privateKeys = (pki: string): string[] =>
  readdirSync(pki)
    .filter((name) => name.endsWith('.key'))
    .map((name) => readFileSync(join(pki, name), 'utf8').split('\n')[4] as string);

async function askTarget(
  target: Target,
  request: Partial<TargetRequest> & { path: string },
): Promise<Response> {
  const message = await target.open({ as: 'admin', method: 'GET', ...request });
  let text = '';
  message.setEncoding('utf8');
  for await (const chunk of message) text += chunk as string;
  return { status: message.statusCode ?? 0, headers: message.headers, text };
}

/** What an error says: a Status of the right shape, or the text itself. */
export function statusOf({ status, text }: Response): { code: number; reason: string; message: string } {
  const { kind, apiVersion, code, reason, message } = JSON.parse(text) as Status;
  if (kind !== 'Status' || apiVersion !== 'v1' || code !== status) throw new Error(`no Status: ${text}`);
  return { code: code ?? 0, reason: reason ?? '', message: message ?? '' };
}
