import { fieldErrors, isObject, validatePortName, validatePortNumber } from '@annex/machinery';
import { type Check, each, fields, isMissing, oneOf, selector } from '../../shared/checks.ts';
import { cidrErrors, isSubRange } from '../../shared/cidrs.ts';

const { invalid, forbidden } = fieldErrors;

const policyPort: Check = (value, at) => {
  const { port, endPort, protocol } = isObject(value) ? value : {};
  const [where, end] = [at.child('port'), at.child('endPort')];
  const errors = oneOf('TCP', 'UDP', 'SCTP')(protocol, at.child('protocol'));
  if (typeof port === 'string') {
    errors.push(...validatePortName(port).map((why) => invalid(where, port, why)));
    if (!isMissing(endPort))
      errors.push(invalid(end, endPort, 'may not be specified when `port` is non-numeric'));
  } else if (typeof port === 'number') {
    errors.push(...validatePortNumber(port).map((why) => invalid(where, port, why)));
    if (typeof endPort === 'number') {
      // kube-apiserver quotes the port here.
      if (endPort < port) errors.push(invalid(end, port, 'must be greater than or equal to `port`'));
      errors.push(...validatePortNumber(endPort).map((why) => invalid(end, endPort, why)));
    }
  } else if (!isMissing(endPort)) {
    errors.push(invalid(end, endPort, 'may not be specified when `port` is not specified'));
  }
  return errors;
};

const ipBlock: Check = (value, at) => {
  const { cidr, except } = isObject(value) ? value : {};
  const where = at.child('cidr');
  if (isMissing(cidr)) return [fieldErrors.required(where)];
  const errors = cidrErrors(cidr, where);
  if (errors.length > 0) return errors;
  return each((range, place) => {
    const errors = cidrErrors(range, place);
    if (errors.length > 0 || isSubRange(String(range), String(cidr))) return errors;
    return [invalid(place, range, 'must be a strict subset of `cidr`')];
  })(except, at.child('except'));
};

const peer: Check = (value, at) => {
  const { podSelector, namespaceSelector, ipBlock: block } = isObject(value) ? value : {};
  const provided = [podSelector, namespaceSelector, block].filter(isObject).length;
  const errors = [
    ...selector(podSelector, at.child('podSelector')),
    ...selector(namespaceSelector, at.child('namespaceSelector')),
    ...(isObject(block) ? ipBlock(block, at.child('ipBlock')) : []),
  ];
  if (provided === 0) return [fieldErrors.required(at, 'must specify a peer')];
  return provided > 1 && isObject(block)
    ? [...errors, forbidden(at, 'may not specify both ipBlock and another peer')]
    : errors;
};

/** Checks the spec of a NetworkPolicy. */
export const validateNetworkPolicySpec: Check = fields({
  podSelector: selector,
  ingress: each(fields({ ports: each(policyPort), from: each(peer) })),
  egress: each(fields({ ports: each(policyPort), to: each(peer) })),
  policyTypes: (value, at) =>
    Array.isArray(value) && value.length > 2
      ? [invalid(at, value, 'may not specify more than two policyTypes')]
      : each(oneOf('Ingress', 'Egress'))(value, at),
});
