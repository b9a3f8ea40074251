import type { ConnectOptions, RequestContext } from '@annex/kinds';
import { badRequest, type KubeObject } from '@annex/machinery';
import { negotiate, sendNothing, type ServerDeps } from '@annex/server';
import { childOf, objectsOf } from '../../shared/checks.ts';
import { checkNodeOf, isFakeNode } from '../nodes/proxy-target.ts';
import { type ConnectSubresource, refuseWithoutNodes } from '../shared/proxy.ts';
import { checkLogOptions } from './log-options.ts';

/** Throws if the query names no container of the pod, or no container if there are several. */
function requireContainer(pod: KubeObject, request: RequestContext): void {
  const { containers, initContainers, ephemeralContainers } = childOf(pod, 'spec');
  const names = [initContainers, containers, ephemeralContainers].flatMap(objectsOf).map(({ name }) => name);
  const requested = request.query.get('container') ?? '';
  const pods = pod.metadata.name ?? '';
  if (requested !== '' && !names.includes(requested))
    throw badRequest(`container ${requested} is not valid for pod ${pods}`);
  if (requested === '' && objectsOf(containers).length > 1) {
    const choice = `choose one of: [${names.join(' ')}]`;
    throw badRequest(`a container name must be specified for pod ${pods}, ${choice}`);
  }
}

/** Throws the error of a connection to the node of a pod: nothing runs there. */
async function refuseConnection(
  deps: ServerDeps,
  pod: KubeObject,
  subresource: string,
  request: RequestContext,
): Promise<never> {
  const nodeName = String(childOf(pod, 'spec').nodeName);
  if (!isFakeNode(await checkNodeOf(deps, nodeName, request))) refuseWithoutNodes(subresource);
  const where = `pod ${pod.metadata.name} is on the fake node ${nodeName}`;
  throw badRequest(`${where}: its containers do not run, and ${subresource} cannot be served`);
}

/** `exec` and `attach` connect to a container, and `portforward` to its pod. */
export const podConnection = (
  deps: ServerDeps,
  subresource: string,
  options: ConnectOptions,
  toContainer = true,
): ConnectSubresource => ({
  connect: {
    options,
    async respond(pod, request) {
      if (toContainer) requireContainer(pod, request);
      const { nodeName } = childOf(pod, 'spec');
      if (!nodeName) throw badRequest(`pod ${pod.metadata.name} does not have a host assigned`);
      await refuseConnection(deps, pod, subresource, request);
    },
  },
});

/** Logs are text, but kube-apiserver requires that clients accept objects. */
const logs = { routed: true, protobuf: true, plain: true, text: true };

/** The log of a pod without a node is empty. */
export const podLog = (deps: ServerDeps): ConnectSubresource => ({
  connect: {
    checkRequest(request) {
      negotiate(request.req.headers.accept, logs);
      checkLogOptions(request);
    },
    async respond(pod, request) {
      requireContainer(pod, request);
      const { nodeName } = childOf(pod, 'spec');
      if (!nodeName) return sendNothing(request);
      await refuseConnection(deps, pod, 'pods/log', request);
    },
  },
});
