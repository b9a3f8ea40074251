import type { Labels } from '@annex/machinery';
import { type AffinityTerm, compileTerms, compileWeightedTerms, identityOf } from './affinity-term.ts';
import { type HostPort, hostPortsOf } from './host-ports.ts';
import { compilePreferredTerms, compileRequiredNode, type SelectableNode } from './node-selector.ts';
import type { Pod, Toleration } from './pod.ts';
import { Remembered } from './remembered.ts';
import { type Amounts, containerRequests, podRequests } from './resources.ts';

/** `namespace/name`. */
export const keyOf = ({ metadata: { namespace = '', name = '' } }: Pick<Pod, 'metadata'>): string =>
  namespace === '' ? name : `${namespace}/${name}`;

interface Terms {
  requiredAffinity: readonly AffinityTerm[];
  requiredAntiAffinity: readonly AffinityTerm[];
  preferredAffinity: readonly AffinityTerm[];
  preferredAntiAffinity: readonly AffinityTerm[];
}

/** Terms of Pods that are compiled once, with what they matched. */
const rememberedTerms = 2_000;
const compiledTerms = new Remembered<string, Terms>(rememberedTerms);

const noTerms: Terms = {
  requiredAffinity: [],
  requiredAntiAffinity: [],
  preferredAffinity: [],
  preferredAntiAffinity: [],
};

/** One version of a Pod with everything that plugins parse of it, parsed once. */
export class PodInfo {
  readonly pod: Pod;
  readonly key: string;
  readonly uid: string;
  readonly namespace: string;
  readonly name: string;
  readonly labels: Labels;
  /** The same object for Pods of one namespace with the same labels. */
  readonly identity: object;
  readonly priority: number;
  /** What the Pod requests; see `podRequests`. */
  readonly requests: Amounts;
  readonly assumedCpu: number;
  readonly assumedMemory: number;
  readonly terms: Terms;
  readonly hostPorts: readonly HostPort[];
  readonly tolerations: readonly Toleration[];
  readonly #required: ((node: SelectableNode) => boolean) | undefined;
  #ofContainers: Amounts | undefined;
  #preferred: ((node: SelectableNode) => number) | undefined;

  constructor(pod: Pod) {
    this.pod = pod;
    this.key = keyOf(pod);
    this.uid = pod.metadata.uid ?? '';
    this.namespace = pod.metadata.namespace ?? '';
    this.name = pod.metadata.name ?? '';
    this.labels = pod.metadata.labels;
    this.identity = identityOf(this.namespace, this.labels);
    this.priority = pod.spec.priority ?? 0;
    const { requests, assumedCpu, assumedMemory } = podRequests(pod);
    this.requests = requests;
    this.assumedCpu = assumedCpu;
    this.assumedMemory = assumedMemory;
    this.terms = termsOf(pod);
    this.hostPorts = hostPortsOf(pod);
    this.tolerations = pod.spec.tolerations ?? [];
    this.#required = compileRequiredNode(pod);
  }

  /** What its containers request; see `containerRequests`. */
  get ofContainers(): Amounts {
    return (this.#ofContainers ??= containerRequests(this.pod));
  }

  get isTerminating(): boolean {
    return this.pod.metadata.deletionTimestamp !== undefined;
  }

  /** True if the Pod has terms that change the scores of nodes for other Pods. */
  get scoresOthers(): boolean {
    const { requiredAffinity, preferredAffinity, preferredAntiAffinity } = this.terms;
    return requiredAffinity.length > 0 || preferredAffinity.length > 0 || preferredAntiAffinity.length > 0;
  }

  /** True if `nodeSelector` or node affinity restrict the nodes. */
  get selectsNodes(): boolean {
    return this.#required !== undefined;
  }

  /** Returns whether `nodeSelector` and the required node affinity match a node. */
  matchesNode(node: SelectableNode): boolean {
    return this.#required === undefined || this.#required(node);
  }

  /** Returns the sum of the weights of the preferred terms of node affinity that match. */
  preference(node: SelectableNode): number {
    const terms = this.pod.spec.affinity?.nodeAffinity?.preferredDuringSchedulingIgnoredDuringExecution;
    this.#preferred ??= compilePreferredTerms(terms ?? []);
    return this.#preferred(node);
  }
}

function termsOf({ metadata: { namespace = '' }, spec }: Pod): Terms {
  const { podAffinity, podAntiAffinity } = spec.affinity ?? {};
  if (podAffinity === undefined && podAntiAffinity === undefined) return noTerms;
  const required = 'requiredDuringSchedulingIgnoredDuringExecution';
  const preferred = 'preferredDuringSchedulingIgnoredDuringExecution';
  return compiledTerms.get(JSON.stringify([namespace, podAffinity, podAntiAffinity]), () => ({
    requiredAffinity: compileTerms(namespace, podAffinity?.[required]),
    requiredAntiAffinity: compileTerms(namespace, podAntiAffinity?.[required]),
    preferredAffinity: compileWeightedTerms(namespace, podAffinity?.[preferred]),
    preferredAntiAffinity: compileWeightedTerms(namespace, podAntiAffinity?.[preferred]),
  }));
}

/** Returns the claims of a Pod's volumes, as `namespace/name`; those of ephemeral volumes only on request. */
export function claimKeysOf(
  { metadata: { namespace = '', name = '' }, spec }: Pod,
  ephemeral = false,
): string[] {
  return (spec.volumes ?? []).flatMap(({ name: volume, persistentVolumeClaim, ephemeral: template }) => {
    if (persistentVolumeClaim !== undefined) return [`${namespace}/${persistentVolumeClaim.claimName}`];
    return ephemeral && template !== undefined ? [`${namespace}/${name}-${volume}`] : [];
  });
}
