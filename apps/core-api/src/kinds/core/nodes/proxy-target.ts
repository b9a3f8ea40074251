import type { RequestContext } from '@annex/kinds';
import { type KubeObject, StatusError } from '@annex/machinery';
import type { ServerDeps } from '@annex/server';
import { objectsOf } from '../../shared/checks.ts';
import { readObject, statusOf, type TargetCheck } from '../shared/proxy.ts';

/** The default of `--kubelet-preferred-address-types`. */
const addressTypes = ['Hostname', 'InternalDNS', 'InternalIP', 'ExternalDNS', 'ExternalIP'];

/** Checks that a node has an address in its status. */
export const checkNode: TargetCheck = (_, node) => {
  const addresses = objectsOf(statusOf(node).addresses);
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

/** Checks the node of a pod, through which connections to containers go, and returns it. */
export async function checkNodeOf(
  deps: ServerDeps,
  nodeName: string,
  request: RequestContext,
): Promise<KubeObject> {
  const node = await readObject(deps, '/registry/minions/', nodeName, nodeName, request);
  await checkNode(deps, node, request);
  return node;
}

/** True for a node of `annex fake-nodes`, or of KWOK, which defined the annotation. */
export const isFakeNode = ({ metadata }: KubeObject): boolean =>
  metadata.annotations?.['kwok.x-k8s.io/node'] === 'fake';
