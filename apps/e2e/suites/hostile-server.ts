import { afterAll, afterEach, expect, vi } from 'vitest';
import type { IncomingHttpHeaders } from 'node:http';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Status } from '@annex/machinery';
import { createTarget, type Credential, loadTestCA, type Target, type TargetRequest } from '@annex/testkit';
import type { Runner, RunnerOptions } from '../runners/runner.ts';
import { startAnnex } from '../runners/start-annex.ts';
import { patienceMs } from './patience.ts';
import { type RawResponse, rawExchange, type RawOptions } from './raw-connection.ts';

/** A complete response. */
export interface Response {
  status: number;
  headers: IncomingHttpHeaders;
  text: string;
}

/** A server under attack, at its most verbose log level. */
export interface HostileServer extends AsyncDisposable {
  annex: Runner;
  admin: Credential;
  /** Returns a client certificate that the cluster's CA signed. */
  credential(commonName: string, ...organizations: string[]): Credential;
  /** Sends a request, by default as the administrator. */
  ask(request: Partial<TargetRequest> & { path: string }): Promise<Response>;
  /** Sends a request that must succeed: otherwise throws with the response. */
  make(method: string, path: string, body: object): Promise<Record<string, never>>;
  /** Creates a CRD and waits until the custom resource is served at this path. */
  makeKind(crd: object, servedAt: string): Promise<void>;
  /** Sends bytes unchanged over a new connection, by default as the administrator. */
  raw(bytes: string | Uint8Array, options?: RawOptions): Promise<RawResponse>;
  /** Resolves to the resident memory in the metrics of the front proxy. */
  residentMiB(): Promise<number>;
  /** Texts that the log must not contain. */
  secrets: Set<string>;
  /** Returns the log lines that contain a secret, or that the server must not write for another reason. */
  leaks(): string[];
}

/** Requires of a suite that the server is ready after each attack, and that its log leaks nothing. Stops the server at the end. */
export function expectNoHarm(server: () => HostileServer): void {
  afterAll(async () => {
    const leaks = server().leaks();
    await server()[Symbol.asyncDispose]();
    expect(leaks).toEqual([]);
  });
  afterEach(async () => {
    expect(await server().ask({ path: '/readyz' })).toMatchObject({ status: 200, text: 'ok' });
  });
}

/** Starts a server at its most verbose log level. */
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

/** Returns a line from the middle of every private key. */
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

/** Returns the code and message of an error: those of a valid Status, or the text. */
export function statusOf({ status, text }: Response): { code: number; reason: string; message: string } {
  const { kind, apiVersion, code, reason, message } = JSON.parse(text) as Status;
  if (kind !== 'Status' || apiVersion !== 'v1' || code !== status) throw new Error(`no Status: ${text}`);
  return { code: code ?? 0, reason: reason ?? '', message: message ?? '' };
}
