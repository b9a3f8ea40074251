import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { Client, loadKubeconfig } from '@annex/client';
import {
  apiServiceManifest,
  createTestCA,
  freePorts,
  requireTools,
  type RunningProcess,
  startProcess,
  tempFolder,
} from '@annex/testkit';
import { parse, parseAllDocuments } from 'yaml';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { annexCommand, annexNode } from '../runners/annex-command.ts';
import type { Runner } from '../runners/runner.ts';
import { startSingle } from '../runners/single-runner.ts';
import { runCommand } from './command.ts';
import { type Kubectl, kubectlOf } from './extension/kubectl.ts';
import {
  type Namespace,
  namespaceAddress,
  requireNamespaces,
  startNamespace,
} from './konnectivity/namespace.ts';
import { listeningPorts } from './konnectivity/listening-ports.ts';
import { reaches } from './konnectivity/programs.ts';
import { patienceMs } from './patience.ts';

// https://kubernetes.io/docs/tasks/extend-kubernetes/setup-konnectivity/

const suite = 'the documented set-up of Konnectivity';
const manifests = new URL('../../../deploy/konnectivity/', import.meta.url);
const manifest = (name: string): string => readFileSync(new URL(`${name}.yaml`, manifests), 'utf8');

interface Container {
  args: string[];
  volumeMounts: { name: string; mountPath: string; readOnly?: boolean }[];
  livenessProbe: { httpGet: { path: string } };
}

interface TokenProjection {
  path: string;
  audience: string;
}

interface PodSpec {
  containers: [Container];
  serviceAccountName: string;
  volumes: {
    name: string;
    hostPath?: { path: string };
    projected?: { sources: { serviceAccountToken: TokenProjection }[] };
  }[];
}

/** An event of the audit log, whose policy has only TokenReviews. */
interface AuditedReview {
  verb: string;
  user: { username: string };
}

const auditPolicy = `apiVersion: audit.k8s.io/v1
kind: Policy
rules:
- level: Metadata
  resources: [{ group: authentication.k8s.io, resources: [tokenreviews] }]
- level: None
`;

/** The documented commands. KUBERNETES is the folder /etc/kubernetes. */
const certificateCommands = `set -e
openssl req -subj "/CN=system:konnectivity-server" -new -newkey rsa:2048 -nodes -out konnectivity.csr -keyout konnectivity.key
openssl x509 -req -in konnectivity.csr -CA $KUBERNETES/pki/ca.crt -CAkey $KUBERNETES/pki/ca.key -CAcreateserial -out konnectivity.crt -days 375 -sha256
SERVER=$(kubectl config view -o jsonpath='{.clusters..server}')
export KUBECONFIG=$KUBERNETES/konnectivity-server.conf
kubectl config set-credentials system:konnectivity-server --client-certificate konnectivity.crt --client-key konnectivity.key --embed-certs=true
kubectl config set-cluster kubernetes --server "$SERVER" --certificate-authority $KUBERNETES/pki/ca.crt --embed-certs=true
kubectl config set-context system:konnectivity-server@kubernetes --cluster kubernetes --user system:konnectivity-server
kubectl config use-context system:konnectivity-server@kubernetes
rm -f konnectivity.crt konnectivity.key konnectivity.csr`;

const group = 'tunneled.example.com';
const path = `/apis/${group}/v1/things`;
const extensionPort = 8443;

describe.runIf(
  requireTools(suite, 'kubectl', 'openssl', 'bash', 'unshare', 'ip') && requireNamespaces(suite),
)(suite, () => {
  const folder = tempFolder('annex-konnectivity-');
  /** The folder /etc/kubernetes of the documentation. */
  const etc = join(folder.path, 'kubernetes');
  const kubeconfig = join(etc, 'konnectivity-server.conf');
  const audit = join(folder.path, 'audit.log');
  const socket = join(etc, 'konnectivity-server/konnectivity-server.socket');
  let annex: Runner;
  let client: Client;
  let kubectl: Kubectl;
  let ports: number[];
  let server: RunningProcess;
  let namespace: Namespace;

  beforeAll(async () => {
    mkdirSync(join(etc, 'konnectivity-server'), { recursive: true });
    const egress = join(folder.path, 'egress-selector-configuration.yaml');
    writeFileSync(egress, atHome(manifest('egress-selector-configuration')));
    const policy = join(folder.path, 'audit-policy.yaml');
    writeFileSync(policy, auditPolicy);
    annex = await startSingle({
      ephemeral: true,
      args: [
        `--egress-selector-config-file=${egress}`,
        `--audit-policy-file=${policy}`,
        `--audit-log-path=${audit}`,
      ],
    });
    symlinkSync(annex.pki, join(etc, 'pki'));
    client = new Client(await loadKubeconfig(annex.kubeconfig));
    kubectl = kubectlOf(annex.kubeconfig, folder.path);
    ports = await freePorts(3);
    const env = { ...process.env, KUBERNETES: etc, KUBECONFIG: annex.kubeconfig, HOME: folder.path };
    const created = await runCommand('bash', ['-c', certificateCommands], {
      cwd: folder.path,
      env,
      timeout: patienceMs,
    });
    if (created.code !== 0) throw new Error(created.text);
    for (const name of ['konnectivity-rbac', 'konnectivity-server', 'konnectivity-agent'])
      await kubectl.ok(['create', '-f', '-'], manifest(name));
    server = await startServer();
    namespace = await startAgent();
    await registerExtension();
  });
  afterAll(async () => {
    await namespace?.[Symbol.asyncDispose]();
    await server?.stop();
    client?.close();
    await annex?.stop();
    folder[Symbol.dispose]();
  });

  /** Paths of the documentation are in the folder of the test. */
  const atHome = (text: string): string => text.replaceAll('/etc/kubernetes', etc);

  const stored = async <T>(at: string): Promise<T> => await client.json<T>({ path: at });
  const podOf = () => stored<{ spec: PodSpec }>('/api/v1/namespaces/kube-system/pods/konnectivity-server');
  const daemonSetOf = () =>
    stored<{ spec: { template: { spec: PodSpec } } }>(
      '/apis/apps/v1/namespaces/kube-system/daemonsets/konnectivity-agent',
    );

  /** Starts the server with the flags of the stored Pod, and ports that are free. A dead process left its socket behind. */
  async function startServer(): Promise<RunningProcess> {
    const leave = `require('net').createServer().listen(process.argv[1], () => process.kill(process.pid, 'SIGKILL'))`;
    await (
      await startProcess(process.execPath, { args: ['-e', leave, socket] })
    ).exited;
    expect(existsSync(socket)).toBe(true);
    const [container] = (await podOf()).spec.containers;
    const args = container.args.map((arg) =>
      atHome(arg).replace(/=813([234])$/, (_, digit: string) => `=${ports[Number(digit) - 2]}`),
    );
    const started = await startProcess(annexNode, {
      args: [annexCommand, 'konnectivity-server', ...args],
      until: /konnectivity-server is ready.*: (.*)/,
    });
    return started;
  }

  /** Starts the agent with the flags and the token of the stored DaemonSet, in a namespace with the extension server. */
  async function startAgent(): Promise<Namespace> {
    const { spec } = (await daemonSetOf()).spec.template;
    const token = join(folder.path, 'tokens');
    mkdirSync(token);
    const { audience, path: name } = projectionOf(spec);
    const of = ['token', spec.serviceAccountName, '--namespace=kube-system', `--audience=${audience}`];
    writeFileSync(join(token, name), await kubectl.ok(['create', ...of]));
    const args = spec.containers[0].args.map((arg) =>
      arg
        .replace('/var/run/secrets/kubernetes.io/serviceaccount', annex.pki)
        .replace('/var/run/secrets/tokens', token)
        .replace('35.225.206.7', '127.0.0.1'),
    );
    const host = 'tunneled.default.svc';
    const { certificate: cert, key } = extensionCa.issue({ commonName: host, dnsNames: [host] });
    const command = { command: annexNode, args: [annexCommand, 'konnectivity-agent', ...args] };
    return await startNamespace(
      folder.path,
      {
        extension: { host: namespaceAddress, port: extensionPort, cert, key },
        agent: command,
        relayPort: 8132,
      },
      ports[0]!,
    );
  }

  const extensionCa = createTestCA('extension');

  async function registerExtension(): Promise<void> {
    const create = (at: string, body: object) => client.json({ method: 'POST', path: at, body });
    const metadata = { name: 'tunneled', namespace: 'default' };
    const port = { port: 443, name: 'https' };
    await create('/api/v1/namespaces/default/services', { metadata, spec: { ports: [port] } });
    await create('/apis/discovery.k8s.io/v1/namespaces/default/endpointslices', {
      metadata: { ...metadata, labels: { 'kubernetes.io/service-name': 'tunneled' } },
      addressType: 'IPv4',
      ports: [{ name: 'https', port: extensionPort }],
      endpoints: [{ addresses: [namespaceAddress], conditions: { ready: true } }],
    });
    const registration = { group, service: 'tunneled', port: 443, ca: extensionCa.certificate };
    await create('/apis/apiregistration.k8s.io/v1/apiservices', apiServiceManifest(registration));
  }

  const projectionOf = ({ volumes }: PodSpec): TokenProjection =>
    volumes.flatMap(({ projected }) => projected?.sources ?? [])[0]!.serviceAccountToken;

  const response = (status: number): Promise<string> =>
    vi.waitUntil(
      async () => {
        const found = await client.send({ path });
        return found.status === status && found.body.toString();
      },
      { timeout: patienceMs },
    );

  it('KON-011 KON-012 KON-013 the kubeconfig contains its certificates, and their files are removed', async () => {
    const config = parse(readFileSync(kubeconfig, 'utf8')) as Record<string, unknown>;
    const text: unknown = expect.stringMatching(/^[\w+/]+=*$/);
    expect(config).toMatchObject({
      'current-context': 'system:konnectivity-server@kubernetes',
      clusters: [{ cluster: { server: annex.url, 'certificate-authority-data': text } }],
      users: [{ user: { 'client-certificate-data': text, 'client-key-data': text } }],
    });
    for (const name of ['crt', 'key', 'csr'])
      expect(existsSync(join(folder.path, `konnectivity.${name}`))).toBe(false);
    const own = kubectlOf(kubeconfig, folder.path);
    expect(await own.ok(['auth', 'whoami', '-o', 'jsonpath={.status.userInfo.username}'])).toBe(
      'system:konnectivity-server',
    );
  });

  it.each([
    [
      'KON-014 KON-015 KON-028 the static Pod of the server',
      'konnectivity-server',
      '/api/v1/namespaces/kube-system/pods/konnectivity-server',
    ],
    [
      'KON-029 KON-030 the DaemonSet of the agents',
      'konnectivity-agent',
      '/apis/apps/v1/namespaces/kube-system/daemonsets/konnectivity-agent',
    ],
  ])('%s is stored as it is documented', async (_sentence, name, at) => {
    // As in kube-apiserver, a false value is not stored.
    const documented = parse(manifest(name).replace(', readOnly: false', '')) as object;
    expect(await stored(at)).toMatchObject(documented);
  });

  it('KON-037 KON-038 the ClusterRoleBinding and the ServiceAccount are stored as documented', async () => {
    const [binding, account] = parseAllDocuments(manifest('konnectivity-rbac')).map(
      (document) => document.toJS() as object,
    );
    const rbac = '/apis/rbac.authorization.k8s.io/v1/clusterrolebindings';
    expect(await stored(`${rbac}/system:konnectivity-server`)).toMatchObject(binding!);
    expect(await stored('/api/v1/namespaces/kube-system/serviceaccounts/konnectivity-agent')).toMatchObject(
      account!,
    );
  });

  it('KON-007 KON-036 the token of the projected volume is for the Konnectivity server', () => {
    const token = readFileSync(join(folder.path, 'tokens/konnectivity-agent-token'), 'utf8');
    const claims = JSON.parse(Buffer.from(token.split('.')[1]!, 'base64url').toString()) as object;
    expect(claims).toMatchObject({
      aud: ['system:konnectivity-server'],
      sub: 'system:serviceaccount:kube-system:konnectivity-agent',
    });
  });

  it('KON-018 KON-019 KON-021 KON-022 KON-023 KON-024 the flags of the Pod start a server', async () => {
    const [admin, health] = ports.slice(1).map((port) => `127.0.0.1:${port}`);
    expect(server.ready?.[1]?.split(' ')).toEqual([socket, `0.0.0.0:${ports[0]}`, health, admin]);
    expect(await reaches(`http://${health}/healthz`)).toBe('ok');
    await expect.poll(() => reaches(`http://${admin}/debug/agents`)).toContain('"isDraining": false');
    // No port for API servers: they use the socket.
    expect(listeningPorts(server.pid)).toEqual(new Set(ports));
  });

  it('KON-026 the server reviews tokens as the user of its certificate', () => {
    const events = readFileSync(audit, 'utf8').trim().split('\n');
    const reviews = events.map((line) => JSON.parse(line) as AuditedReview);
    expect(reviews.filter(({ verb }) => verb === 'create').map(({ user }) => user.username)).toContain(
      'system:konnectivity-server',
    );
  });

  it('KON-010 the server has its socket in a writable folder of the host, where the API server looks for it', async () => {
    const { containers, volumes } = (await podOf()).spec;
    const [, name = ''] = /udsName: (\S+)/.exec(manifest('egress-selector-configuration')) ?? [];
    const mount = containers[0].volumeMounts.find(({ mountPath }) => mountPath === dirname(name));
    const volume = volumes.find((each) => each.name === mount?.name);
    expect([mount?.readOnly ?? false, volume?.hostPath?.path]).toEqual([false, dirname(name)]);
    expect(atHome(name)).toBe(socket);
    expect(statSync(socket).isSocket()).toBe(true);
    expect(await response(200)).toBe('{"kind":"Seen","apiVersion":"v1"}');
  });

  it('KON-032 KON-033 KON-034 KON-035 the flags of the DaemonSet start an agent', async () => {
    expect(await namespace.request('8134/healthz')).toBe('200 ok');
    await expect.poll(() => namespace.request('8134/readyz')).toBe('200 ok');
    expect(await namespace.request('8133/metrics')).toContain('konnectivity_network_proxy_agent_');
  });

  it('KON-001 KON-009 FIX-042 an extension server is reached through the agent only', async () => {
    expect(await response(200)).toBe('{"kind":"Seen","apiVersion":"v1"}');
    expect(await namespace.request('stop')).toBe('0');
    await response(503);
  });
});
