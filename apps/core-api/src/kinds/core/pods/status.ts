import { statusEndpoint, type Subresource } from '@annex/kinds';
import { isObject, type JsonObject, type KubeObject } from '@annex/machinery';
import { podStatusErrors } from './status-validation.ts';

const statusOf = ({ status }: KubeObject): JsonObject => (isObject(status) ? status : {});
const conditionsOf = ({ conditions }: JsonObject): JsonObject[] =>
  Array.isArray(conditions) ? conditions.filter(isObject) : [];

const { write: takeStatus } = statusEndpoint({ keeps: ['ownerReferences'] });

/** The status of pods: what older kubelets do not know of stays as it is, and nobody changes the quality of service. */
export const podStatus: Partial<Subresource> = {
  resetFields: [['spec'], ['metadata', 'ownerReferences'], ['metadata', 'deletionTimestamp']],
  async write(sent, parent, request) {
    const pod = (await takeStatus?.(sent, parent, request)) as KubeObject;
    pod.status = kept(statusOf(pod), statusOf(parent));
    return pod;
  },
  validate: podStatusErrors,
};

function kept(status: JsonObject, old: JsonObject): JsonObject {
  const before = conditionsOf(old);
  const conditions = conditionsOf(status).map((condition) => {
    const at = before.findIndex(({ type }) => type === condition.type);
    const [found] = at < 0 ? [] : before.splice(at, 1);
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
