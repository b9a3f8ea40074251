import { mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Client, type ClientConfig } from '@annex/client';
import { encodeYaml, type JsonValue } from '@annex/machinery';
import type { RunningProcess } from '@annex/runtime';
import { startScheduler } from '@annex/scheduler';
import { freePort, loadTestCA, type TempFolder, tempFolder, type TestCA } from '@annex/testkit';
import { type Cluster, pathOf } from './cluster.ts';
import type { SchedulerSpec } from './scenario.ts';

/** A server, and the folder of its CAs. */
export interface ServerAddress {
  url: string;
  pki: string;
}

/** A scheduler that runs in this process, as its command would run it. */
export interface RunningScheduler {
  url: string;
  process: RunningProcess;
}

const pollMs = 20;
const readyWithinMs = 60_000;

/** Starts schedulers with the configurations and identities of scenarios. */
export class Schedulers implements Disposable {
  readonly #server: ServerAddress;
  readonly #ca: TestCA;
  readonly #folder: TempFolder = tempFolder('annex-scenarios-');
  readonly #clients = new Map<string, Client>();

  constructor(server: ServerAddress) {
    this.#server = server;
    this.#ca = loadTestCA(server.pki);
  }

  /** Returns the access of a user with a client certificate. */
  access(user: string): ClientConfig {
    const organizations = user === 'admin' ? ['system:masters'] : [];
    const { certificate, key } = this.#ca.issue({ commonName: user, organizations });
    return { server: this.#server.url, ca: this.#ca.certificate, cert: certificate, key };
  }

  /**
   * Starts a scheduler. Throws its error if it refuses its configuration.
   * `addresses` are the URLs of extenders by name.
   */
  async start(
    spec: SchedulerSpec,
    cluster: Cluster,
    addresses: ReadonlyMap<string, string>,
  ): Promise<RunningScheduler> {
    const folder = mkdtempSync(join(this.#folder.path, 'scheduler-'));
    const kubeconfig = join(folder, 'kubeconfig');
    writeFileSync(kubeconfig, encodeYaml((await this.#kubeconfig(spec, cluster)) as unknown as JsonValue));
    const file = join(folder, 'config.yaml');
    writeFileSync(file, configText(spec.config ?? {}, kubeconfig, addresses));
    const port = await freePort();
    const process = await startScheduler({
      args: [
        `--config=${file}`,
        `--secure-port=${port}`,
        `--authentication-kubeconfig=${kubeconfig}`,
        `--authorization-kubeconfig=${kubeconfig}`,
        '--log-level=off',
        ...(spec.flags ?? []),
      ],
    });
    return { process, url: `https://127.0.0.1:${port}` };
  }

  /** Resolves when the scheduler reports that it is ready. */
  async ready(scheduler: RunningScheduler): Promise<void> {
    const end = Date.now() + readyWithinMs;
    while ((await this.get(scheduler, '/readyz')).status !== 200) {
      if (Date.now() > end) throw new Error('the scheduler is not ready');
      await new Promise((resolve) => setTimeout(resolve, pollMs));
    }
  }

  /** Sends a request to the port of a scheduler, as a user or without credentials. */
  async get(
    { url }: RunningScheduler,
    path: string,
    user?: string,
  ): Promise<{ status: number; text: string }> {
    const key = `${url} ${user ?? ''}`;
    const { cert, key: privateKey } = user === undefined ? {} : this.access(user);
    const client =
      this.#clients.get(key) ??
      new Client({
        server: url,
        insecureSkipTlsVerify: true,
        ...(cert === undefined || privateKey === undefined ? {} : { cert, key: privateKey }),
      });
    this.#clients.set(key, client);
    const { status, body } = await client.send({ path, headers: { accept: '*/*' } });
    return { status, text: body.toString() };
  }

  /** Closes the connections to schedulers. Call it after they are stopped. */
  forget(): void {
    this.#clients.forEach((client) => client.close());
    this.#clients.clear();
  }

  [Symbol.dispose](): void {
    this.forget();
    this.#folder[Symbol.dispose]();
  }

  async #kubeconfig({ as }: SchedulerSpec, cluster: Cluster): Promise<object> {
    const {
      server,
      ca = '',
      cert = '',
      key = '',
    } = this.access(as !== undefined && 'user' in as ? as.user : 'admin');
    const user =
      as !== undefined && 'serviceAccount' in as
        ? { token: await tokenOf(as.serviceAccount, cluster) }
        : { 'client-certificate-data': btoa(cert), 'client-key-data': btoa(key) };
    return {
      apiVersion: 'v1',
      kind: 'Config',
      'current-context': 'c',
      contexts: [{ name: 'c', context: { cluster: 'c', user: 'u' } }],
      clusters: [{ name: 'c', cluster: { server, 'certificate-authority-data': btoa(ca) } }],
      users: [{ name: 'u', user }],
    };
  }
}

async function tokenOf(account: string, cluster: Cluster): Promise<string> {
  const [namespace, name] = account.split('/');
  const response = await cluster.call(
    'POST',
    pathOf({ kind: 'ServiceAccount', namespace, name, subresource: 'token' }),
    {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: { audiences: ['https://kubernetes.default.svc'], expirationSeconds: 3600 },
    },
  );
  return String(response.status?.token);
}

function configText(
  config: Record<string, unknown> | string,
  kubeconfig: string,
  addresses: ReadonlyMap<string, string>,
): string {
  const connection = {
    clientConnection: { ...(config as { clientConnection?: object }).clientConnection, kubeconfig },
  };
  let text = typeof config === 'string' ? config : encodeYaml({ ...config, ...connection } as JsonValue);
  for (const [name, url] of addresses) text = text.replaceAll(`{${name}}`, url);
  return text.replaceAll('{kubeconfig}', kubeconfig);
}
