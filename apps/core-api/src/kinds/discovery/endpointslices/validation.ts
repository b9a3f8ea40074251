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
  eachDifferent,
  fields,
  ifValid,
  limited,
  oneOf,
  present,
  presentText,
  required,
  text,
} from '../../shared/checks.ts';
import { endpointIpErrors } from '../../shared/endpoint-addresses.ts';
import { immutable } from '../../shared/immutable-fields.ts';

const addressOf = tableOf<Check>({
  FQDN: text(validateDns1123Subdomain),
  IPv4: (value, at) => endpointIpErrors(String(value), at, 4),
  IPv6: (value, at) => endpointIpErrors(String(value), at, 6),
});

/** The most items of the lists of a slice. */
const most = { endpoints: 1000, addresses: 100, ports: 20_000, hints: 8 };

const names = (check: (name: string) => string[]): Check =>
  eachDifferent((different) => fields({ name: all(different, nameOf(check)) }));

/** Checks a name, which may be empty only if the check accepts it. */
const nameOf =
  (check: (name: string) => string[]): Check =>
  (value = '', at) =>
    check(String(value)).map((why) => fieldErrors.invalid(at, value, why));

/** Too many zones are the only error of hints. */
const hints: Check = ifValid(
  fields({ forZones: limited(most.hints) }),
  fields({
    forZones: names(validateLabelValue),
    forNodes: limited(most.hints, names(validateDns1123Subdomain)),
  }),
);

const endpoint = (address: Check): Check =>
  fields({
    addresses: required(all(limited(most.addresses), each(address)), 'must contain at least 1 address'),
    nodeName: presentText(validateDns1123Subdomain),
    hostname: presentText(validateDns1123Label),
    hints,
  });

const ports = eachDifferent((different) =>
  fields({
    name: all(text(validateDns1123Label), different),
    protocol: present(oneOf('SCTP', 'TCP', 'UDP')),
    appProtocol: presentText(validateQualifiedName),
  }),
);

const slice: Check = fields({
  addressType: required(oneOf('FQDN', 'IPv4', 'IPv6')),
  ports: limited(most.ports, ports),
});

const endpoints: Check = (value, at) => {
  const { addressType, endpoints: list } = isObject(value) ? value : {};
  const address = addressOf.get(String(addressType)) ?? (() => []);
  return limited(most.endpoints, each(endpoint(address)))(list, at.child('endpoints'));
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
