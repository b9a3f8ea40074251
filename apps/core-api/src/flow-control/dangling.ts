import { appliedStatus } from '@annex/kinds';
import { deepEqual, formatTime, type KubeObject, type Passes } from '@annex/machinery';

/** The field manager of kube-apiserver. */
const manager = 'api-priority-and-fairness-config-consumer-v1';

interface Condition {
  type: string;
  status?: string;
  reason?: string;
  message?: string;
  lastTransitionTime?: string;
}

type FlowSchemaObject = KubeObject & {
  spec: { priorityLevelConfiguration: { name: string } };
  status?: { conditions?: Condition[] };
};

/**
 * Returns the FlowSchema with a true condition `Dangling` if its priority level does not exist; `undefined` if it says so
 * already.
 */
export function* withDangling(
  object: KubeObject,
  levels: ReadonlySet<string>,
  now: number,
): Passes<KubeObject | undefined> {
  const schema = object as FlowSchemaObject;
  const { name } = schema.spec.priorityLevelConfiguration;
  const exists = levels.has(name);
  const refers = `This FlowSchema references the PriorityLevelConfiguration object named "${name}"`;
  const wanted = {
    type: 'Dangling',
    status: exists ? 'False' : 'True',
    reason: exists ? 'Found' : 'NotFound',
    message: exists ? `${refers} and it exists` : `${refers} but there is no such object`,
  };
  const conditions = schema.status?.conditions ?? [];
  const found = conditions.find(({ type }) => type === 'Dangling');
  const { lastTransitionTime: _, ...present } = found ?? { type: '' };
  if (deepEqual(present as never, wanted)) return undefined;
  const others = conditions.filter((condition) => condition !== found);
  const changed = { ...wanted, lastTransitionTime: formatTime(now) };
  const applied = yield* appliedStatus(object, { conditions: [changed] }, { manager, now });
  return (
    applied ??
    ({ ...object, status: { ...schema.status, conditions: [...others, changed] } } as unknown as KubeObject)
  );
}
