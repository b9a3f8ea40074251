import { type Check, fields, nonNegative } from '../../shared/checks.ts';
import { selectsItsPods } from '../shared/selector.ts';

/** Checks a ReplicaSet. kube-apiserver calls it a deployment in this error. */
export const validateReplicaSet: Check = fields({
  spec: fields(
    { replicas: nonNegative, minReadySeconds: nonNegative },
    selectsItsPods('deployment', 'ReplicaSet'),
  ),
});
