import { BlockList, isIP } from 'node:net';
import {
  badRequest,
  isObject,
  type JsonObject,
  type KubeObject,
  notFound,
  serviceUnavailable,
  StatusError,
} from '@annex/machinery';
import type { RequestContext } from '@annex/kinds';
import type { ServerDeps } from '@annex/server';

/** Throws what a connection fails with before anybody is dialled. */
export type TargetCheck = (deps: ServerDeps, parent: KubeObject, ctx: RequestContext) => void | Promise<void>;

const objects = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
const statusOf = ({ status }: KubeObject): JsonObject => (isObject(status) ? status : {});

const podPrefix = '/registry/pods/';

/** An object of another kind. Where it is missing, kube says so in the words of the resource that was asked for. */
async function read(
  { feed }: ServerDeps,
  prefix: string,
  key: string,
  name: string,
  { info }: RequestContext,
): Promise<KubeObject> {
  const cache = feed.objects(prefix);
  await cache.waitFor();
  const found = cache.get(`${prefix}${key}`)?.value.object;
  if (found === undefined) throw notFound({ group: '', resource: info.resource }, name);
  return found;
}

/** The default of `--kubelet-preferred-address-types`. */
const addressTypes = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'];

/** Nodes are reached at an address that they say. */
export const checkNode: TargetCheck = (_, node) => {
  const addresses = objects(statusOf(node).addresses);
  if (addresses.some(({ type }) => addressTypes.includes(String(type)))) return;
  const known = addresses.map(({ type, address }) => `{${String(type)} ${String(address)}}`).join(' ');
  const message = `no preferred addresses found; known addresses: [${known}]`;
  throw new StatusError({
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Failure',
    message,
    code: 500,
  });
};

/** Containers are reached by the node that their pod is on. */
export async function checkNodeOf(deps: ServerDeps, nodeName: string, ctx: RequestContext): Promise<void> {
  await checkNode(deps, await read(deps, '/registry/nodes/', nodeName, nodeName, ctx), ctx);
}

const privateAddresses = new BlockList();
for (const [address, prefix] of [
  ['0.0.0.0', 32],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['224.0.0.0', 4],
  ['255.255.255.255', 32],
] as const)
  privateAddresses.addSubnet(address, prefix, 'ipv4');
for (const [address, prefix] of [
  ['::', 128],
  ['::1', 128],
  ['fe80::', 10],
  ['ff00::', 8],
] as const)
  privateAddresses.addSubnet(address, prefix, 'ipv6');

/** Pods are reached at their own address, unless it is one of the machine or of its link. */
export const checkPodAddress: TargetCheck = (_, pod) => {
  const { podIP } = statusOf(pod);
  const [first] = objects(statusOf(pod).podIPs);
  const address = String(first?.ip ?? podIP ?? '');
  const family = isIP(address);
  if (family === 0 || privateAddresses.check(address, family === 4 ? 'ipv4' : 'ipv6'))
    throw badRequest('address not allowed');
};

/** Services are reached at the pods that their Endpoints name for the port. */
export const checkEndpoints: TargetCheck = async (deps, service, ctx) => {
  const name = service.metadata.name ?? '';
  const port = portName(service, ctx.info.name);
  const key = `${ctx.info.namespace}/${name}`;
  const { subsets } = await read(deps, '/registry/endpoints/', key, name, ctx);
  const none = (what: string) =>
    serviceUnavailable(`no endpoints available for service ${JSON.stringify(what)}`);
  if (objects(subsets).length === 0) throw none(name);
  const named = objects(subsets).filter(({ ports }) =>
    objects(ports).some((each) => (each.name ?? '') === port),
  );
  const pods = deps.feed.objects(podPrefix);
  await pods.waitFor();
  const ready = named
    .flatMap(({ addresses }) => objects(addresses))
    .some((address) => isOfPod(address, pods));
  if (!ready) throw none(ctx.info.name);
};

/** Whether the pod that an address is said to be of has it. */
function isOfPod({ ip, targetRef }: JsonObject, pods: ReturnType<ServerDeps['feed']['objects']>): boolean {
  if (!isObject(targetRef)) return false;
  const pod = pods.get(`${podPrefix}${String(targetRef.namespace)}/${String(targetRef.name)}`)?.value.object;
  return pod !== undefined && objects(statusOf(pod).podIPs).some((own) => own.ip === ip);
}

/** A port may be told by its number. */
function portName({ spec, metadata }: KubeObject, target: string): string {
  const parts = target.split(':');
  const port = (parts.length < 3 ? parts[1] : parts[2]) ?? '';
  if (!/^[-+]?\d+$/.test(port)) return port;
  const found = objects(isObject(spec) ? spec.ports : []).find((each) => each.port === Number(port));
  if (found === undefined) {
    const service = JSON.stringify(metadata.name ?? '');
    throw serviceUnavailable(`no service port ${Number(port)} found for service ${service}`);
  }
  return String(found.name ?? '');
}
