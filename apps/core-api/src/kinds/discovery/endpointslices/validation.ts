import {
  fieldErrors,
  isObject,
  type JsonObject,
  tableOf,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateLabelValue,
  validateQualifiedName,
} from '@annex/machinery';
import {
  type Check,
  each,
  fields,
  objectsOf,
  oneOf,
  present,
  presentText,
  required,
  text,
} from '../../shared/checks.ts';
import { endpointIpErrors } from '../../shared/endpoint-addresses.ts';

const addressOf = tableOf<Check>({
  FQDN: text(validateDns1123Subdomain),
  IPv4: (value, at) => endpointIpErrors(String(value), at, 4),
  IPv6: (value, at) => endpointIpErrors(String(value), at, 6),
});

/** Checks the names of hints, which differ. */
const hints =
  (check: (name: string) => string[]): Check =>
  (value, at) => {
    const seen = new Set<string>();
    return objectsOf(value).flatMap((hint, index) => {
      const name = String(hint.name ?? '');
      const where = at.index(index).child('name');
      const isFirst = !seen.has(name);
      seen.add(name);
      return [
        ...(isFirst ? [] : [fieldErrors.duplicate(where, name)]),
        ...check(name).map((why) => fieldErrors.invalid(where, name, why)),
      ];
    });
  };

/** Checks an EndpointSlice. */
export const validateEndpointSlice: Check = (value, at) => {
  const slice: JsonObject = isObject(value) ? value : {};
  const address = addressOf.get(String(slice.addressType)) ?? (() => []);
  const endpoint = fields({
    addresses: required(each(address), 'must contain at least 1 address'),
    nodeName: presentText(validateDns1123Subdomain),
    hostname: presentText(validateDns1123Label),
    hints: fields({ forZones: hints(validateLabelValue), forNodes: hints(validateDns1123Subdomain) }),
  });
  const seen = new Set<string>();
  return [
    ...required(oneOf('FQDN', 'IPv4', 'IPv6'))(slice.addressType, at.child('addressType')),
    ...objectsOf(slice.ports).flatMap(({ name, protocol, appProtocol }, index) => {
      const where = at.child('ports').index(index);
      const key = String(name ?? '');
      const isFirst = !seen.has(key);
      seen.add(key);
      return [
        ...text(validateDns1123Label)(name, where.child('name')),
        ...(isFirst ? [] : [fieldErrors.duplicate(where.child('name'), key)]),
        ...present(oneOf('SCTP', 'TCP', 'UDP'))(protocol, where.child('protocol')),
        ...presentText(validateQualifiedName)(appProtocol, where.child('appProtocol')),
      ];
    }),
    ...each(endpoint)(slice.endpoints, at.child('endpoints')),
  ];
};
