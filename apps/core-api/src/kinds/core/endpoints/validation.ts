import { isIP } from 'node:net';
import {
  errorsOfEach,
  fieldErrors,
  isObject,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateQualifiedName,
} from '@annex/machinery';
import {
  type Check,
  each,
  fields,
  isMissing,
  objectsOf,
  oneOf,
  presentText,
  required,
  text,
} from '../../shared/checks.ts';
import { endpointIpErrors } from '../../shared/endpoint-addresses.ts';

const { invalid } = fieldErrors;

/** kube-apiserver checks an address twice; both checks report a malformed one. */
const address: Check = (value, at) => {
  const ip = String(value ?? '');
  const errors = endpointIpErrors(ip, at);
  return isIP(ip) === 0 ? [...errors, invalid(at, ip, 'must be a valid IP address')] : errors;
};

const endpointAddress = fields({
  ip: address,
  hostname: text(validateDns1123Label),
  nodeName: presentText(validateDns1123Subdomain),
});

const portNumber: Check = (value, at) => {
  const port = Number(value ?? 0);
  return Number.isInteger(port) && port > 0 && port < 65536
    ? []
    : [invalid(at, port, 'must be between 1 and 65535, inclusive')];
};

const ports: Check = (value, at) => {
  const list = objectsOf(value);
  return errorsOfEach(list, (port, index) => {
    const where = at.index(index);
    const name = where.child('name');
    const named = isMissing(port.name)
      ? list.length > 1
        ? [fieldErrors.required(name)]
        : []
      : validateDns1123Label(String(port.name)).map((why) => invalid(name, port.name, why));
    return [
      ...named,
      ...portNumber(port.port, where.child('port')),
      ...required(oneOf('SCTP', 'TCP', 'UDP'))(port.protocol, where.child('protocol')),
      ...presentText(validateQualifiedName)(port.appProtocol, where.child('appProtocol')),
    ];
  });
};

const subset: Check = (value, at) => {
  const { addresses, notReadyAddresses, ports: provided } = isObject(value) ? value : {};
  if (isMissing(addresses) && isMissing(notReadyAddresses)) {
    return [fieldErrors.required(at, 'must specify `addresses` or `notReadyAddresses`')];
  }
  return [
    ...each(endpointAddress)(addresses, at.child('addresses')),
    ...each(endpointAddress)(notReadyAddresses, at.child('notReadyAddresses')),
    ...ports(provided, at.child('ports')),
  ];
};

/** Checks the subsets of Endpoints. */
export const validateEndpoints: Check = fields({ subsets: each(subset) });
