import { createTurns } from '@annex/runtime';
import type { Controller, ControllerDeps } from '../controller.ts';
import { EventRecorder, type Occurrence } from '../event-recorder.ts';
import { type Outcome, WorkQueue } from '../work-queue.ts';
import { AbsentOwners } from './absent-owners.ts';
import { Collector } from './collector.ts';
import type { GraphNode } from './graph-node.ts';
import { type Identity, identityText } from './identity.ts';
import { Monitors } from './monitors.ts';
import { ObjectRequests, UnknownKindError } from './object-requests.ts';
import { OwnershipGraph } from './ownership-graph.ts';

const workers = 16;

/** Deletes objects whose owners are gone. Owners wait for their dependents, or orphan them, as the deletion requests. */
export function garbageCollector(deps: ControllerDeps): Controller {
  const absent = new AbsentOwners();
  const inTurns = createTurns();
  const events = new EventRecorder('garbage-collector-controller', deps);
  /** Objects with owners of unknown kinds; they are checked again when the kinds change. */
  const parked = new Set<GraphNode>();
  const graph: OwnershipGraph = new OwnershipGraph({
    // One object can name thousands of owners.
    suspect: (node) => inTurns(() => suspects.add(node)),
    suspectLater: (node) => suspects.addWithBackoff(node),
    orphan: (node) => orphans.add(node),
    absent: (identity) => absent.add(identity),
    misplaced: (node, owner) => events.record(misplacedOwner(node, owner)),
  });
  const monitors = new Monitors(deps, {
    observe: (identity, meta, previous) => graph.observe(identity, meta, previous),
    remove: (identity) => graph.remove(identity),
    kindsChanged() {
      for (const node of parked) suspects.add(node);
      parked.clear();
    },
  });
  const requests = new ObjectRequests(deps.api, () => monitors.mapping);
  const suspect = (node: GraphNode) => {
    node.suspected = true;
    suspects.add(node);
  };
  const collector = new Collector({ graph, requests, absent, suspect, log: deps.log });
  const describe = ({ identity }: GraphNode) => identityText(identity);
  const suspects: WorkQueue<GraphNode> = new WorkQueue<GraphNode>(
    {
      name: 'garbage_collector_attempt_to_delete',
      workers,
      describe,
      // Objects that are not in the cache yet may be dependents or owners of the object.
      work: (node) => monitors.settled().then(() => parkUnknown(node, parked, () => collector.collect(node))),
    },
    deps,
  );
  const orphans = new WorkQueue<GraphNode>(
    {
      name: 'garbage_collector_attempt_to_orphan',
      workers,
      describe,
      work: (node) => monitors.settled().then(() => collector.orphan(node)),
    },
    deps,
  );
  return {
    start() {
      suspects.start();
      orphans.start();
    },
    async stop() {
      await monitors.stop();
      await Promise.all([suspects.stop(), orphans.stop(), events.stop()]);
    },
  };
}

async function parkUnknown(
  node: GraphNode,
  parked: Set<GraphNode>,
  work: () => Promise<Outcome>,
): Promise<Outcome> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof UnknownKindError)) throw error;
    parked.add(node);
  }
}

// kube's reason and message. A reference has no namespace, so the namespace of the dependent applies.
function misplacedOwner(node: GraphNode, owner: Identity): Occurrence {
  const { identity } = node;
  const { namespace } = identity;
  const { apiVersion, kind, name, uid } = node.referencesTo(owner.uid)[0] ?? owner;
  return {
    involved: identity,
    type: 'Warning',
    reason: 'OwnerRefInvalidNamespace',
    message: `ownerRef [${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}] does not exist in namespace "${namespace}"`,
  };
}
