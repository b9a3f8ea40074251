/** The spec of a FlowSchema of `flowcontrol.apiserver.k8s.io/v1`. */
export interface FlowSchemaSpec {
  priorityLevelConfiguration: { name: string };
  /** Schemas with smaller numbers are tried first. */
  matchingPrecedence: number;
  /** How the requests of the schema are divided into flows; all are one flow if absent. */
  distinguisherMethod?: { type: 'ByUser' | 'ByNamespace' };
  rules?: readonly PolicyRules[];
}

/** Requests of one of the subjects that match one of the rules. */
export interface PolicyRules {
  subjects: readonly Subject[];
  resourceRules?: readonly ResourceRule[];
  nonResourceRules?: readonly NonResourceRule[];
}

export interface Subject {
  kind: string;
  user?: { name: string };
  group?: { name: string };
  serviceAccount?: { namespace: string; name: string };
}

export interface ResourceRule {
  verbs: readonly string[];
  apiGroups: readonly string[];
  /** Resources, or `resource/subresource`. */
  resources: readonly string[];
  /** True if requests without a namespace match. */
  clusterScope?: boolean;
  namespaces?: readonly string[];
}

export interface NonResourceRule {
  verbs: readonly string[];
  nonResourceURLs: readonly string[];
}

/** The spec of a PriorityLevelConfiguration of `flowcontrol.apiserver.k8s.io/v1`. */
export interface PriorityLevelSpec {
  type: 'Exempt' | 'Limited';
  exempt?: Shares;
  limited?: Shares & {
    /** The maximum of borrowed seats, in percent of the nominal ones; no maximum if absent. */
    borrowingLimitPercent?: number;
    limitResponse: { type: 'Queue' | 'Reject'; queuing?: Queuing };
  };
}

interface Shares {
  nominalConcurrencyShares?: number;
  /** The seats that other levels are allowed to borrow, in percent of the nominal ones. */
  lendablePercent?: number;
}

/** The queues of a priority level. */
export interface Queuing {
  queues: number;
  /** The number of queues that one flow is allowed to use. */
  handSize: number;
  queueLengthLimit: number;
}

/** An object with a spec, as it is stored. */
export interface Configured<Spec> {
  name: string;
  uid: string;
  spec: Spec;
}
