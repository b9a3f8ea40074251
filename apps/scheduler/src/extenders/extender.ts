import { Client, type ClientConfig } from '@annex/client';
import { dialErrorText } from '@annex/http';
import { goQuote, isObject, type JsonValue, parseJson, parseUrl, trimRight } from '@annex/machinery';
import type { Cluster } from '../cache/cluster.ts';
import type { ExtenderConfig } from '../config/types.ts';
import { CycleError, Status } from '../framework/status.ts';
import { NodeInfo } from '../objects/node-info.ts';
import type { PodInfo } from '../objects/pod-info.ts';
import type { Victims } from '../plugins/default-preemption/select-victims.ts';
import { extenderTls } from './extender-tls.ts';

/** Bytes of the response of an extender. */
export const maxExtenderResponseBytes = 64 * 1024 * 1024;

/** The nodes that an extender keeps, and the reasons of those that it refuses. */
export interface ExtenderFilterResult {
  nodes: readonly NodeInfo[];
  refused: ReadonlyMap<string, Status>;
}

/** A scheduler extender: an HTTP server that takes part in decisions. */
export class Extender {
  readonly url: string;
  readonly config: ExtenderConfig;
  readonly #tls: Partial<ClientConfig>;
  /** Created by the first request: kube-scheduler reports a URL that it cannot parse there. */
  #client: Client | undefined;
  readonly #managed: ReadonlySet<string>;

  /** Throws an Error for certificates that cannot be read; the message is kube-scheduler's. */
  constructor(config: ExtenderConfig) {
    this.config = config;
    this.url = config.urlPrefix;
    this.#managed = new Set(config.managedResources.map(({ name }) => name));
    this.#tls = extenderTls(config);
  }

  get isIgnorable(): boolean {
    return this.config.ignorable;
  }

  get supportsPreemption(): boolean {
    return this.config.preemptVerb !== '';
  }

  get isBinder(): boolean {
    return this.config.bindVerb !== '';
  }

  /** Returns whether the extender decides about a Pod: about all, or those that request a managed resource. */
  isInterested({ pod: { spec } }: PodInfo): boolean {
    if (this.#managed.size === 0) return true;
    return [...spec.containers, ...(spec.initContainers ?? [])].some(({ resources }) =>
      [...Object.keys(resources?.requests ?? {}), ...Object.keys(resources?.limits ?? {})].some((name) =>
        this.#managed.has(name),
      ),
    );
  }

  /** Rejects if the extender fails. */
  async filter({ pod }: PodInfo, nodes: readonly NodeInfo[]): Promise<ExtenderFilterResult> {
    if (this.config.filterVerb === '') return { nodes, refused: new Map() };
    const result = lowered(await this.#send(this.config.filterVerb, { Pod: pod, ...this.#nodesOf(nodes) }));
    const error = result.get('error');
    if (typeof error === 'string' && error !== '') throw new CycleError(error);
    const byName = new Map(nodes.map((node) => [node.name, node]));
    return { nodes: this.#kept(result, byName), refused: refusedNodes(result) };
  }

  /** Returns weighted scores by node, on the scale of plugins. Rejects if the extender fails. */
  async prioritize({ pod }: PodInfo, nodes: readonly NodeInfo[]): Promise<ReadonlyMap<string, number>> {
    if (this.config.prioritizeVerb === '') return new Map();
    const list = await this.#send(this.config.prioritizeVerb, { Pod: pod, ...this.#nodesOf(nodes) });
    const scores = new Map<string, number>();
    for (const one of Array.isArray(list) ? list : []) {
      const entry = lowered(one);
      const score = entry.get('score') ?? 0;
      // As Go decodes it: a score that is no number would make every comparison false.
      if (!Number.isSafeInteger(score))
        throw new CycleError(`extender ${this.url}: ${String(score)} is no score`);
      // Extenders score from 0 to 10.
      scores.set(String(entry.get('host')), Number(score) * this.config.weight * 10);
    }
    return scores;
  }

  /** Rejects if the extender fails. */
  async bind({ namespace, name, uid }: PodInfo, node: string): Promise<void> {
    const body = { PodName: name, PodNamespace: namespace, PodUID: uid, Node: node };
    const error = lowered(await this.#send(this.config.bindVerb, body)).get('error');
    if (typeof error === 'string' && error !== '') throw new CycleError(error);
  }

  /** Returns the candidates that the extender keeps. Rejects if the extender fails. */
  async preempt(
    { pod }: PodInfo,
    candidates: readonly Victims[],
    cluster: Cluster,
  ): Promise<readonly Victims[]> {
    const { nodeCacheCapable, preemptVerb } = this.config;
    const entries = candidates.map(({ node, pods, budgetViolations }) => [
      node,
      {
        Pods: pods.map((victim) => (nodeCacheCapable ? { UID: victim.uid } : victim.pod)),
        NumPDBViolations: budgetViolations,
      },
    ]);
    const victims = Object.fromEntries(entries) as object;
    const body = nodeCacheCapable ? { NodeNameToMetaVictims: victims } : { NodeNameToVictims: victims };
    const result = lowered(await this.#send(preemptVerb, { Pod: pod, ...body }));
    const kept = result.get('nodenametometavictims');
    return Object.entries(isObject(kept) ? kept : {}).map(([node, meta]) =>
      this.#victimsOn(node, lowered(meta), cluster),
    );
  }

  close(): void {
    this.#client?.close();
  }

  #victimsOn(node: string, meta: ReadonlyMap<string, JsonValue>, cluster: Cluster): Victims {
    const pods = cluster.node(node)?.pods;
    if (pods === undefined) throw new CycleError(`nodeinfo not found for node name "${node}"`);
    const list = meta.get('pods');
    return {
      node,
      budgetViolations: Number(meta.get('numpdbviolations') ?? 0),
      pods: (Array.isArray(list) ? list : []).map((one) => {
        const uid = String(lowered(one).get('uid'));
        const found = pods.get(uid);
        if (found === undefined)
          throw new CycleError(
            `extender: ${this.url} claims to preempt pod (UID: ${uid}) on node: ${node}, but the pod is not found on that node`,
          );
        return found;
      }),
    };
  }

  #nodesOf(nodes: readonly NodeInfo[]): object {
    if (this.config.nodeCacheCapable) return { NodeNames: nodes.map(({ name }) => name) };
    return { Nodes: { metadata: {}, items: nodes.map(({ node }) => node) } };
  }

  #kept(result: ReadonlyMap<string, JsonValue>, byName: ReadonlyMap<string, NodeInfo>): NodeInfo[] {
    const names = result.get('nodenames');
    const nodes = result.get('nodes');
    if (this.config.nodeCacheCapable && Array.isArray(names))
      return names.map((name) => {
        const node = byName.get(String(name));
        if (node !== undefined) return node;
        throw new CycleError(
          `extender "${this.url}" claims a filtered node "${String(name)}" which is not found in the input node list`,
        );
      });
    const items = isObject(nodes) ? lowered(nodes).get('items') : undefined;
    return (Array.isArray(items) ? items : []).flatMap((item) => {
      const metadata = isObject(item) && isObject(item.metadata) ? item.metadata : {};
      const node = byName.get(String(metadata.name));
      return node === undefined ? [] : [withoutPods(node)];
    });
  }

  async #send(verb: string, body: object): Promise<JsonValue> {
    const url = `${trimRight(this.url, '/')}/${verb}`;
    const { host } = parseUrl(url);
    const failed = (why: string) => new CycleError(`Post ${goQuote(url)}: ${why}`);
    if (!/^https?:/i.test(url)) throw failed(`unsupported protocol scheme ${goQuote(schemeOf(url))}`);
    if (host === '') throw failed('http: no Host in request URL');
    this.#client ??= new Client({ server: trimRight(this.url, '/'), ...this.#tls });
    const request = {
      method: 'POST',
      path: `/${verb}`,
      body,
      timeoutMs: this.config.httpTimeoutMs,
      maxBytes: maxExtenderResponseBytes,
    };
    const response = await this.#client.send(request).catch((error: unknown) => {
      throw failed(connectionErrorText(error, url));
    });
    if (response.status !== 200)
      throw new CycleError(`failed ${verb} with extender at URL ${url}, code ${response.status}`);
    return parseJson(response.body.toString());
  }
}

const schemeOf = (url: string): string => (url.includes('://') ? url.slice(0, url.indexOf(':')) : '');

/** Returns Go's message for a request that got no response. */
function connectionErrorText(error: unknown, url: string): string {
  if (error instanceof Error && error.name === 'TimeoutError')
    return 'context deadline exceeded (Client.Timeout exceeded while awaiting headers)';
  const { hostname, port, protocol } = new URL(url);
  const defaultPort = protocol === 'https:' ? 443 : 80;
  return dialErrorText(error, { host: hostname, port: Number(port || defaultPort) }, hostname);
}

/**
 * Returns the node as an extender sends it back: kube-scheduler then scores nodes without their Pods and images. Extenders that are
 * `nodeCacheCapable` keep them.
 */
function withoutPods({ name, node }: NodeInfo): NodeInfo {
  const info = new NodeInfo(name);
  info.setNode(node);
  return info;
}

/** Members by name in lower case: extenders spell them as in Go, or in camel case. */
function lowered(value: JsonValue): ReadonlyMap<string, JsonValue> {
  return new Map(
    Object.entries(isObject(value) ? value : {}).map(([name, member]) => [name.toLowerCase(), member]),
  );
}

function refusedNodes(result: ReadonlyMap<string, JsonValue>): Map<string, Status> {
  const refused = new Map<string, Status>();
  for (const [member, code] of [
    ['failednodes', 'unschedulable'],
    ['failedandunresolvablenodes', 'unresolvable'],
  ] as const) {
    const nodes = result.get(member);
    for (const [node, reason] of Object.entries(isObject(nodes) ? nodes : {}))
      refused.set(node, new Status(code, [String(reason)]));
  }
  return refused;
}
