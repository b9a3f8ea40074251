import { type FieldError, fieldErrors, type FieldPath, isObject, type JsonObject } from '@annex/machinery';
import { childOf, objectsOf } from '../../shared/checks.ts';
import type { StatusValidation } from '../../builtin-kind.ts';
import { ingressPath, loadBalancerErrors } from '../../shared/load-balancer-status.ts';

const { forbidden, notSupported, required } = fieldErrors;

const modes = ['Proxy', 'VIP'];

/** The mode of an address says how its traffic arrives. */
function modeErrors({ ip, ipMode }: JsonObject, address: FieldPath): FieldError[] {
  const at = address.child('ipMode');
  if (ipMode === undefined) return ip ? [required(at, 'must be specified when `ip` is set')] : [];
  if (!ip) return [forbidden(at, 'may not be specified when `ip` is not set')];
  return modes.includes(String(ipMode)) ? [] : [notSupported(at, ipMode, modes)];
}

/** The validation of the status: only load balancers have addresses. */
export const serviceStatus: StatusValidation = {
  validate(updated, parent) {
    const { ingress } = childOf(childOf(updated, 'status'), 'loadBalancer');
    const isUsed = Array.isArray(ingress) && ingress.length > 0;
    if (isUsed && childOf(updated, 'spec').type !== 'LoadBalancer')
      return [forbidden(ingressPath, "may only be used when `spec.type` is 'LoadBalancer'")];
    return loadBalancerErrors(updated, parent, modeErrors);
  },
};

/** Sets the mode of the addresses of a load balancer. */
export function defaultModes({ spec, status }: JsonObject): void {
  if (!isObject(spec) || spec.type !== 'LoadBalancer') return;
  for (const ingress of objectsOf(childOf(status, 'loadBalancer').ingress))
    if (ingress.ip) ingress.ipMode ??= 'VIP';
}
