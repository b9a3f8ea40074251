import {
  fieldErrors,
  isObject,
  type JsonObject,
  tableOf,
  validateDns1123Label,
  validateDns1123Subdomain,
} from '@annex/machinery';
import { type Check, each, fields, objectsOf, oneOf, required, text } from '../../shared/checks.ts';
import { endpointIpErrors } from '../../shared/endpoint-addresses.ts';

const addressOf = tableOf<Check>({
  FQDN: text(validateDns1123Subdomain),
  IPv4: (value, at) => endpointIpErrors(String(value), at, 4),
  IPv6: (value, at) => endpointIpErrors(String(value), at, 6),
});

/** Checks an EndpointSlice. */
export const validateEndpointSlice: Check = (value, at) => {
  const slice: JsonObject = isObject(value) ? value : {};
  const address = addressOf.get(String(slice.addressType)) ?? (() => []);
  const endpoint = fields({
    addresses: required(each(address), 'must contain at least 1 address'),
    hostname: text(validateDns1123Label),
    nodeName: text(validateDns1123Subdomain),
  });
  const seen = new Set<string>();
  return [
    ...required(oneOf('FQDN', 'IPv4', 'IPv6'))(slice.addressType, at.child('addressType')),
    ...each(endpoint)(slice.endpoints, at.child('endpoints')),
    ...objectsOf(slice.ports).flatMap(({ name, protocol }, index) => {
      const where = at.child('ports').index(index);
      const key = String(name ?? '');
      const isFirst = !seen.has(key);
      seen.add(key);
      return [
        ...text(validateDns1123Label)(name, where.child('name')),
        ...(isFirst ? [] : [fieldErrors.duplicate(where.child('name'), key)]),
        ...required(oneOf('SCTP', 'TCP', 'UDP'))(protocol, where.child('protocol')),
      ];
    }),
  ];
};
