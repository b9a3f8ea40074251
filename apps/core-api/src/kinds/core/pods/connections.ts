import { checkLogOptions } from './log-options.ts';
import { badRequest, isObject, type JsonObject, type KubeObject } from '@annex/machinery';
import type { ConnectOptions, RequestContext, Subresource } from '@annex/kinds';
import { negotiate, sendNothing, type ServerDeps } from '@annex/server';
import { proxyOptions } from '../shared/connect-options.ts';
import { checkNodeOf, type TargetCheck } from '../services/proxy-target.ts';

const objects = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);

type Connecting = Pick<Subresource, 'connect'>;

const specOf = ({ spec }: KubeObject): JsonObject => (isObject(spec) ? spec : {});

/** What a subresource answers that needs a node behind it. It is discovered as in any cluster. */
function refuse(subresource: string): never {
  throw badRequest(`this server runs no nodes: ${subresource} cannot be answered`);
}

/** Throws where the query names no container of the pod, or none and there are several. */
function requireContainer(pod: KubeObject, ctx: RequestContext): void {
  const { containers, initContainers, ephemeralContainers } = specOf(pod);
  const names = [initContainers, containers, ephemeralContainers].flatMap(objects).map(({ name }) => name);
  const asked = ctx.query.get('container') ?? '';
  const pods = pod.metadata.name ?? '';
  if (asked !== '' && !names.includes(asked))
    throw badRequest(`container ${asked} is not valid for pod ${pods}`);
  if (asked === '' && objects(containers).length > 1) {
    const choice = `choose one of: [${names.join(' ')}]`;
    throw badRequest(`a container name must be specified for pod ${pods}, ${choice}`);
  }
}

/** `exec` and `attach`, which lead to a container, and `portforward`, which leads to its pod. */
export const podConnection = (
  deps: ServerDeps,
  subresource: string,
  options: ConnectOptions,
  toContainer = true,
): Connecting => ({
  connect: {
    options,
    async answer(pod, ctx) {
      if (toContainer) requireContainer(pod, ctx);
      const { nodeName } = specOf(pod);
      if (!nodeName) throw badRequest(`pod ${pod.metadata.name} does not have a host assigned`);
      await checkNodeOf(deps, String(nodeName), ctx);
      refuse(subresource);
    },
  },
});

/** Logs are texts, and yet kube asks who reads them to accept objects. */
const logs = { routed: true, protobuf: true, plain: true, text: true };

/** The log of a pod that is on no node is empty. */
export const podLog = (deps: ServerDeps): Connecting => ({
  connect: {
    checkRequest(ctx) {
      negotiate(ctx.req.headers.accept, logs);
      checkLogOptions(ctx);
    },
    async answer(pod, ctx) {
      requireContainer(pod, ctx);
      const { nodeName } = specOf(pod);
      if (!nodeName) return sendNothing(ctx);
      await checkNodeOf(deps, String(nodeName), ctx);
      refuse('pods/log');
    },
  },
});

/** `proxy` of a Pod, a Service or a Node, named alone or as `[scheme:]name:port`. */
export const proxied = (deps: ServerDeps, kind: string, check: TargetCheck): Connecting => ({
  connect: {
    target(text) {
      const parts = text.split(':');
      const name = parts.length < 3 ? parts[0] : parts[1];
      const scheme = parts.length < 3 ? '' : (parts[0] ?? '');
      const isValid = parts.length <= 3 && ['', 'http', 'https'].includes(scheme);
      if (!isValid || !name) throw badRequest(`invalid ${kind} request ${JSON.stringify(text)}`);
      return name;
    },
    options: proxyOptions,
    async answer(parent, ctx) {
      await check(deps, parent, ctx);
      refuse(`${kind}s/proxy`);
    },
  },
});
