import type { Facts } from './facts.ts';
import type { CheckStep } from './finding.ts';
import { availableStep, delegatedStep, discoveryStep, openApiStep } from './steps-responses.ts';
import { bundleStep, certificateStep, dialStep } from './steps-connection.ts';
import { apiServiceStep, endpointsStep, groupStep, serviceStep } from './steps-registration.ts';
import { authDelegatorStep, readerRoleStep } from './steps-rights.ts';
import { proxyCertificateStep, requestHeaderStep } from './steps-trust.ts';

/**
 * The requirements of an extension API server, in the order of its set-up:
 * https://kubernetes.io/docs/tasks/extend-kubernetes/setup-extension-api-server/
 */
export const apiServiceSteps: readonly CheckStep<Facts>[] = [
  apiServiceStep,
  serviceStep,
  endpointsStep,
  bundleStep,
  dialStep,
  certificateStep,
  requestHeaderStep,
  proxyCertificateStep,
  readerRoleStep,
  authDelegatorStep,
  availableStep,
  discoveryStep,
  delegatedStep,
  openApiStep,
  groupStep,
];
