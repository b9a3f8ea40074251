import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import type { Cluster } from './cluster.ts';
import { pathOf } from './cluster.ts';
import type { ExtenderCall, ExtenderSpec } from './scenario.ts';

type Fields = Record<string, unknown>;

/** The arguments of all verbs, with lower-case names. */
interface Arguments {
  pod?: { metadata: { name: string } };
  podname?: string;
  podnamespace?: string;
  poduid?: string;
  node?: string;
  nodenames?: string[] | null;
  nodes?: { items: { metadata: { name: string } }[] } | null;
  nodenametovictims?: Record<string, Fields> | null;
  nodenametometavictims?: Record<string, Fields> | null;
}

/** An extender that responds as its scenario defines. */
export interface ExtenderServer extends AsyncDisposable {
  readonly url: string;
  /** The distinct requests so far. */
  readonly calls: readonly ExtenderCall[];
}

/** Starts an extender on a free port. */
export async function startExtender(spec: ExtenderSpec, cluster: Cluster): Promise<ExtenderServer> {
  const calls: ExtenderCall[] = [];
  const respond = async (request: IncomingMessage) => {
    const verb = (request.url ?? '').split('/').at(-1) as 'filter' | 'prioritize' | 'preempt' | 'bind';
    const body = (await json(request)) as Fields;
    const args = lowerCase(body) as Arguments;
    const call = callOf(verb, body, args);
    if (!calls.some((other) => JSON.stringify(other) === JSON.stringify(call))) calls.push(call);
    const { status, error } = spec[verb] ?? {};
    if (status) return { status, value: {} };
    if (error) return { status: 200, value: spelled({ Error: error }, spec) };
    return { status: 200, value: await responses[verb](args, spec, cluster) };
  };
  const server = createServer((request, response) => {
    respond(request).then(
      ({ status, value }) =>
        response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value)),
      () => response.destroy(),
    );
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    calls,
    async [Symbol.asyncDispose]() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

const lowerCase = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).map(([name, value]) => [name.toLowerCase(), value]));

/** Field names as Go writes them, or in lower camel case. */
const spelled = (fields: Fields, { spelling }: ExtenderSpec): Fields =>
  spelling === 'lower'
    ? Object.fromEntries(
        Object.entries(fields).map(([name, value]) => [name.charAt(0).toLowerCase() + name.slice(1), value]),
      )
    : fields;

const nodesOf = ({ nodenames, nodes }: Arguments): string[] =>
  (nodenames ?? nodes?.items.map(({ metadata }) => metadata.name) ?? []).toSorted();

const victimsOf = ({ nodenametometavictims, nodenametovictims }: Arguments) =>
  Object.entries(nodenametometavictims ?? nodenametovictims ?? {}).map(([node, victims]) => {
    const { pods, numpdbviolations } = lowerCase(victims);
    return { node, pods: pods as Fields[], violations: numpdbviolations ?? 0 };
  });

function callOf(verb: string, body: Fields, args: Arguments): ExtenderCall {
  const given = Object.entries(body).filter(([, value]) => value !== null);
  const pod = args.pod?.metadata.name ?? args.podname;
  return {
    verb,
    keys: given.map(([name]) => name).toSorted(),
    ...(pod === undefined ? {} : { pod }),
    ...(verb === 'filter' || verb === 'prioritize' ? { nodes: nodesOf(args) } : {}),
    ...(verb === 'preempt'
      ? { victims: Object.fromEntries(victimsOf(args).map(({ node, pods }) => [node, pods.length])) }
      : {}),
  };
}

type Response = (args: Arguments, spec: ExtenderSpec, cluster: Cluster) => unknown;

const responses: Record<'filter' | 'prioritize' | 'preempt' | 'bind', Response> = {
  filter(args, spec) {
    const { keep, failed = {}, unresolvable = {} } = spec.filter ?? {};
    const kept = nodesOf(args).filter((name) => keep === undefined || keep.includes(name));
    const nodes = args.nodenames
      ? { NodeNames: kept }
      : { Nodes: { items: args.nodes?.items.filter(({ metadata }) => kept.includes(metadata.name)) } };
    return spelled(
      { FailedNodes: failed, FailedAndUnresolvableNodes: unresolvable, Error: '', ...nodes },
      spec,
    );
  },
  prioritize: (args, spec) =>
    nodesOf(args).map((name) => spelled({ Host: name, Score: spec.prioritize?.scores?.[name] ?? 0 }, spec)),
  preempt(args, spec) {
    const { keep } = spec.preempt ?? {};
    const kept = victimsOf(args).filter(({ node }) => keep === undefined || keep.includes(node));
    const uidOf = (pod: Fields) => lowerCase(pod).uid ?? (pod.metadata as { uid?: string } | undefined)?.uid;
    return {
      NodeNameToMetaVictims: Object.fromEntries(
        kept.map(({ node, pods, violations }) => [
          node,
          { Pods: pods.map((pod) => ({ UID: uidOf(pod) })), NumPDBViolations: violations },
        ]),
      ),
    };
  },
  async bind({ podnamespace, podname = '', poduid, node }, spec, cluster) {
    await cluster.call(
      'POST',
      pathOf({ kind: 'Pod', namespace: podnamespace, name: podname, subresource: 'binding' }),
      {
        apiVersion: 'v1',
        kind: 'Binding',
        metadata: { name: podname, uid: poduid },
        target: { apiVersion: 'v1', kind: 'Node', name: node },
      },
    );
    return spelled({ Error: '' }, spec);
  },
};
