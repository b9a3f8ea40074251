import { writeFileSync } from 'node:fs';
import type { OutgoingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { Client, type ClientConfig, type ClientRequest, loadKubeconfig } from '@annex/client';
import { createTestCA, type Credential, freePort, type RunningProcess, tempFolder } from '@annex/testkit';
import type { Runner } from '../../runners/runner.ts';
import { patienceMs } from '../patience.ts';
import { certificateKubeconfigs, tokenKubeconfig } from './credentials.ts';
import type { Extension, ExtensionSetting } from './extension.ts';
import { type Kubectl, kubectlOf } from './kubectl.ts';

/** A response of a server. */
export interface Response {
  status: number;
  text: string;
}

/** A running, registered extension API server, with clients. */
export interface Registration extends AsyncDisposable {
  admin: Kubectl;
  /** A user with a client certificate and no permissions, connected to Annex. */
  author: Kubectl;
  /** The same user with the same certificate, connected to the extension server. */
  authorAtExtension: Kubectl;
  /** Sends a request to Annex as the administrator. */
  ask(request: ClientRequest): Promise<Response>;
  /** Sends a request to the extension server, with any certificate and headers. */
  askExtension(path: string, credential?: Credential, headers?: OutgoingHttpHeaders): Promise<Response>;
  /** The port on which the extension server listens. */
  port: number;
  /** Its serving certificate, and the CA that signed it; PEM. */
  serving: { certificate: string; ca: string };
  stopExtension(): Promise<void>;
  startExtension(): Promise<void>;
  /** Returns the output lines of the extension server since its last start. */
  lines(): readonly string[];
}

/** Registers an extension API server as its documentation and that of Kubernetes describe, with kubectl only. */
export async function registerExtension(annex: Runner, extension: Extension): Promise<Registration> {
  const folder = tempFolder('annex-extension-');
  const { namespace, serviceAccount } = extension;
  const admin = kubectlOf(annex.kubeconfig, folder.path);
  const serving = issueServing(folder.path, extension);
  const port = await freePort();
  const { ca, certificate, host, files } = serving;
  const annexPlace = { server: annex.url, ca: join(annex.pki, 'ca.crt') };
  const there = { server: `https://127.0.0.1:${port}`, ca: files.ca, serverName: host };

  await applyRegistration(admin, extension, port, ca);
  const token = await admin.ok(['create', 'token', serviceAccount, '-n', namespace]);
  const kubeconfig = tokenKubeconfig(join(folder.path, 'extension.kubeconfig'), annexPlace, token.trim());
  const server = new ExtensionProcess(extension, { ...files, folder: folder.path, port, kubeconfig });
  await server.start();
  const names = versionsOf(extension).map((versioned) => `apiservice/${apiServiceName(versioned)}`);
  await admin.ok(['wait', '--for=condition=Available', '--timeout=180s', ...names]);

  const places = [annexPlace, there];
  const [author, authorAtExtension] = certificateKubeconfigs(folder.path, annex.pki, 'jane', places).map(
    (file) => kubectlOf(file, folder.path),
  ) as [Kubectl, Kubectl];
  const administrator = new Client(await loadKubeconfig(annex.kubeconfig));
  return {
    admin,
    author,
    authorAtExtension,
    async ask(request) {
      const { status, body } = await administrator.send({ timeoutMs: patienceMs, ...request });
      return { status, text: body.toString() };
    },
    askExtension(path, credential, headers) {
      const own = credential ? { cert: credential.certificate, key: credential.key } : {};
      return askOnce({ server: there.server, ca, tlsServerName: host, ...own }, path, headers);
    },
    port,
    serving: { certificate, ca },
    startExtension: () => server.start(),
    stopExtension: () => server.stop(),
    lines: () => server.lines,
    async [Symbol.asyncDispose]() {
      administrator.close();
      await server.stop();
      folder[Symbol.dispose]();
    },
  };
}

/** An extension API server that can be stopped and started again. */
class ExtensionProcess {
  readonly #extension: Extension;
  readonly #setting: ExtensionSetting;
  #running: RunningProcess | undefined;

  constructor(extension: Extension, setting: ExtensionSetting) {
    this.#extension = extension;
    this.#setting = setting;
  }

  get lines(): readonly string[] {
    return this.#running?.lines ?? [];
  }

  async start(): Promise<void> {
    this.#running = await this.#extension.start(this.#setting);
  }

  async stop(): Promise<void> {
    await this.#running?.stop();
    this.#running = undefined;
  }
}

/** Issues the certificate for the Service of an extension with a new CA; in memory and in files of a folder. */
function issueServing(folder: string, { namespace, service }: Extension) {
  const host = `${service}.${namespace}.svc`;
  const ca = createTestCA('extension-ca');
  const { certificate, key } = ca.issue({ commonName: host, dnsNames: [host] });
  const file = (name: string, text: string): string => {
    writeFileSync(join(folder, name), text, { mode: 0o600 });
    return join(folder, name);
  };
  const files = {
    ca: file('extension-ca.crt', ca.certificate),
    certificate: file('tls.crt', certificate),
    key: file('tls.key', key),
  };
  return { host, ca: ca.certificate, certificate, files };
}

/** Returns each version of the extension as a separate extension, the preferred one first. */
const versionsOf = (extension: Extension): Extension[] =>
  [extension.version, ...(extension.otherVersions ?? [])].map((version) => ({ ...extension, version }));

/** Creates the registration of an extension API server on a port of this machine. */
async function applyRegistration(
  admin: Kubectl,
  extension: Extension,
  port: number,
  ca: string,
): Promise<void> {
  const manifests = [
    extension.manifests,
    externalService(extension),
    ...versionsOf(extension).map((versioned, i) => apiService(versioned, port, ca, 15 - i)),
  ];
  await admin.ok(['apply', '-f', '-'], manifests.join('\n---\n'));
}

/** Sends a request on a new connection. */
async function askOnce(
  config: ClientConfig,
  path: string,
  headers: OutgoingHttpHeaders = {},
): Promise<Response> {
  const client = new Client(config);
  try {
    const { status, body } = await client.send({ path, headers, timeoutMs: patienceMs });
    return { status, text: body.toString() };
  } finally {
    client.close();
  }
}

export const apiServiceName = ({ version, group }: Extension): string => `${version}.${group}`;

const apiService = (extension: Extension, port: number, ca: string, priority: number): string => `
apiVersion: apiregistration.k8s.io/v1
kind: APIService
metadata: { name: ${apiServiceName(extension)} }
spec:
  group: ${extension.group}
  version: ${extension.version}
  groupPriorityMinimum: 1000
  versionPriority: ${priority}
  service: { namespace: ${extension.namespace}, name: ${extension.service}, port: ${port} }
  caBundle: ${Buffer.from(ca).toString('base64')}
`;

/** Returns a Service that points to this machine by its name. */
export const externalService = ({ namespace, service }: Extension): string => `
apiVersion: v1
kind: Service
metadata: { name: ${service}, namespace: ${namespace} }
spec: { type: ExternalName, externalName: localhost }
`;

/** Returns a Service without a selector, and an EndpointSlice with an address of this machine. */
export const servedByEndpoints = (
  { namespace, service }: Extension,
  address: string,
  port: number,
): string => `
apiVersion: v1
kind: Service
metadata: { name: ${service}, namespace: ${namespace} }
spec:
  ports: [{ name: https, port: ${port}, targetPort: ${port} }]
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata:
  name: ${service}-1
  namespace: ${namespace}
  labels: { kubernetes.io/service-name: ${service} }
addressType: IPv4
ports: [{ name: https, port: ${port} }]
endpoints: [{ addresses: [${address}], conditions: { ready: true } }]
`;
