import { statusEndpoint, type Subresource } from '@annex/kinds';
import type { JsonObject, KubeObject } from '@annex/machinery';
import { childOf, objectsOf } from '../../shared/checks.ts';
import { podStatusErrors } from './status-validation.ts';

const conditionsOf = ({ conditions }: JsonObject): readonly JsonObject[] => objectsOf(conditions);

const { write: takeStatus } = statusEndpoint({ keeps: ['ownerReferences'] });

/** The status of pods. Fields that older kubelets do not send are kept, as is the quality-of-service class. */
export const podStatus: Partial<Subresource> = {
  resetFields: [['spec'], ['metadata', 'ownerReferences'], ['metadata', 'deletionTimestamp']],
  async write(sent, parent, request) {
    const pod = (await takeStatus?.(sent, parent, request)) as KubeObject;
    pod.status = kept(childOf(pod, 'status'), childOf(parent, 'status'));
    return pod;
  },
  validate: podStatusErrors,
};

function kept(status: JsonObject, old: JsonObject): JsonObject {
  const before = Map.groupBy(conditionsOf(old).toReversed(), ({ type }) => type);
  const conditions = conditionsOf(status).map((condition) => {
    const found = before.get(condition.type)?.pop();
    return condition.observedGeneration ? condition : withGeneration(condition, found);
  });
  const { qosClass } = old;
  return {
    ...withGeneration(status, status.observedGeneration ? undefined : old),
    ...(status.qosClass || qosClass === undefined ? {} : { qosClass }),
    ...(Array.isArray(status.conditions) ? { conditions } : {}),
  };
}

const withGeneration = (one: JsonObject, old: JsonObject | undefined): JsonObject =>
  old?.observedGeneration ? { ...one, observedGeneration: old.observedGeneration } : one;
