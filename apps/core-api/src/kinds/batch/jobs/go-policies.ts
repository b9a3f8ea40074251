import { goList, goPointer, goStruct, goStructPointer, goText } from '@annex/machinery';

const exitCodes = goStructPointer([
  ['ContainerName', 'containerName', goPointer],
  ['Operator', 'operator', goText],
  ['Values', 'values', goPointer],
]);
const podCondition = goStruct([
  ['Type', 'type', goText],
  ['Status', 'status', goText],
]);
const failureRule = goStruct([
  ['Action', 'action', goText],
  ['OnExitCodes', 'onExitCodes', exitCodes],
  ['OnPodConditions', 'onPodConditions', goList(podCondition)],
]);
const successRule = goStruct([
  ['SucceededIndexes', 'succeededIndexes', goPointer],
  ['SucceededCount', 'succeededCount', goPointer],
]);

/** Returns the Go value of the failure policy of a Job; null if it is absent. */
export const goFailurePolicy = goStructPointer([['Rules', 'rules', goList(failureRule)]]);

/** Returns the Go value of the success policy of a Job; null if it is absent. */
export const goSuccessPolicy = goStructPointer([['Rules', 'rules', goList(successRule)]]);
