import { isIP } from 'node:net';
import {
  errorsOfEach,
  type FieldError,
  fieldErrors,
  FieldPath,
  type JsonObject,
  type KubeObject,
  validateDns1123Subdomain,
} from '@annex/machinery';
import { childOf, objectsOf } from './checks.ts';
import { malformedIp } from './pod-spec/settings.ts';

const { invalid } = fieldErrors;

/** The path of the addresses. */
export const ingressPath = FieldPath.of('status').child('loadBalancer').child('ingress');

const ingressOf = (object: KubeObject): readonly JsonObject[] =>
  objectsOf(childOf(childOf(object, 'status'), 'loadBalancer').ingress);

/**
 * Checks the addresses of a load balancer, which Services and Ingresses have: IPs that it did not have before, names, and what else
 * the kind has.
 */
export function loadBalancerErrors(
  updated: KubeObject,
  parent: KubeObject,
  further: (ingress: JsonObject, at: FieldPath) => FieldError[] = () => [],
): FieldError[] {
  const known = new Set(ingressOf(parent).map(({ ip }) => ip));
  return errorsOfEach(ingressOf(updated), (ingress, i) => {
    const at = ingressPath.index(i);
    const { ip, hostname } = ingress;
    const isMalformed = Boolean(ip) && !known.has(ip) && isIP(String(ip)) === 0;
    return [
      ...(isMalformed ? [invalid(at.child('ip'), ip, malformedIp)] : []),
      ...further(ingress, at),
      ...(hostname ? hostnameErrors(String(hostname), at.child('hostname')) : []),
    ];
  });
}

function hostnameErrors(hostname: string, at: FieldPath): FieldError[] {
  const errors = validateDns1123Subdomain(hostname).map((why) => invalid(at, hostname, why));
  if (isIP(hostname) !== 0) errors.push(invalid(at, hostname, 'must be a DNS name, not an IP address'));
  return errors;
}
