import { asJson } from '@annex/kinds';
import {
  deepEqual,
  type FieldError,
  fieldErrors,
  FieldPath,
  isObject,
  type KubeObject,
  tableOf,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateLabelValue,
  validateQualifiedName,
} from '@annex/machinery';
import {
  all,
  type Check,
  each,
  fields,
  objectsOf,
  oneOf,
  present,
  presentText,
  required,
  text,
  uniqueOrEmpty,
} from '../../shared/checks.ts';
import { endpointIpErrors } from '../../shared/endpoint-addresses.ts';
import { immutable } from '../../shared/immutable-fields.ts';
import { limited } from '../../shared/limited.ts';

const addressOf = tableOf<Check>({
  FQDN: text(validateDns1123Subdomain),
  IPv4: (value, at) => endpointIpErrors(String(value), at, 4),
  IPv6: (value, at) => endpointIpErrors(String(value), at, 6),
});

/** The most items of the lists of a slice. */
const most = { endpoints: 1000, addresses: 100, ports: 20_000, hints: 8 };

const notMoreThan =
  (count: number): Check =>
  (value, at) =>
    Array.isArray(value) && value.length > count ? [fieldErrors.tooMany(at, value.length, count)] : [];

/** Checks the names of hints, which differ. */
const limitedHints =
  (check: (name: string) => string[]): Check =>
  (value, at) => {
    const tooMany = notMoreThan(most.hints)(value, at);
    if (tooMany.length > 0) return tooMany;
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

const endpoint = (address: Check): Check =>
  fields({
    addresses: all(required(each(address), 'must contain at least 1 address'), notMoreThan(most.addresses)),
    nodeName: presentText(validateDns1123Subdomain),
    hostname: presentText(validateDns1123Label),
    hints: fields({
      forZones: limitedHints(validateLabelValue),
      forNodes: limitedHints(validateDns1123Subdomain),
    }),
  });

const port: Check = fields({
  name: text(validateDns1123Label),
  protocol: present(oneOf('SCTP', 'TCP', 'UDP')),
  appProtocol: presentText(validateQualifiedName),
});

const slice: Check = fields({
  addressType: required(oneOf('FQDN', 'IPv4', 'IPv6')),
  ports: all(limited(most.ports, port), uniqueOrEmpty('name')),
});

const endpoints: Check = (value, at) => {
  const { addressType, endpoints: list } = isObject(value) ? value : {};
  const address = addressOf.get(String(addressType)) ?? (() => []);
  return limited(most.endpoints, endpoint(address))(list, at.child('endpoints'));
};

/** Checks a new EndpointSlice. */
export const validateEndpointSlice = all(slice, endpoints);

/** Checks an updated EndpointSlice. Endpoints that do not change are not checked: earlier versions accepted more of them. */
export function validateSliceUpdate(updated: KubeObject, old: KubeObject): FieldError[] {
  const isSame = deepEqual(asJson(updated).endpoints ?? [], asJson(old).endpoints ?? []);
  return [
    ...slice(updated, FieldPath.root),
    ...(isSame ? [] : endpoints(updated, FieldPath.root)),
    ...immutable('addressType')(updated, old),
  ];
}
