import type { FieldPath } from '@annex/machinery';
import {
  type FieldError,
  fieldErrors,
  isObject,
  type JsonObject,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateLabelValue,
  validateQualifiedName,
} from '@annex/machinery';
import {
  type Check,
  each,
  fields,
  isMissing,
  objectsOf,
  oneOf,
  required,
  text,
} from '../../shared/checks.ts';
import { different, nameOf } from './different.ts';
import { deviceConfiguration } from './device-configuration.ts';
import { fullyQualifiedName } from './qualified-names.ts';
import { limited } from '../../shared/limited.ts';

const { invalid, notSupported } = fieldErrors;

const mostRequests = 32;
const mostConstraints = 32;
const mostConfigurations = 32;
const mostSelectors = 32;
const mostAlternatives = 8;

/** Checks names of requests, which may not be empty. */
const requestName: Check = (value, at) =>
  validateDns1123Label(String(value ?? '')).map((why) => invalid(at, value ?? '', why));

const itself = (item: unknown): unknown => item ?? '';

export const deviceSelectors: Check = limited(
  mostSelectors,
  fields({ cel: (value, at) => (isObject(value) ? [] : [fieldErrors.required(at)]) }),
);

const toleration: Check = (value, at) => {
  const { key, operator, value: label, effect } = isObject(value) ? value : {};
  const path = at.child('value');
  return [
    ...text(validateQualifiedName)(key, at.child('key')),
    ...(isMissing(effect) ? [] : oneOf('NoExecute', 'NoSchedule', 'None')(effect, at.child('effect'))),
    ...required(oneOf('Equal', 'Exists'))(operator, at.child('operator')),
    ...(operator === 'Exists' && !isMissing(label)
      ? [invalid(path, label, 'must be empty for operator `Exists`')]
      : []),
    ...(operator === 'Equal' ? text(validateLabelValue)(label, path) : []),
  ];
};

const amount: Check = (value, at) => {
  const { allocationMode: mode = '', count = 0 } = isObject(value) ? value : {};
  const path = at.child('count');
  if (mode === 'All')
    return count === 0 ? [] : [invalid(path, count, "must not be specified when allocationMode is 'All'")];
  if (mode !== 'ExactCount') return [notSupported(at.child('allocationMode'), mode, ['All', 'ExactCount'])];
  return Number(count) > 0 ? [] : [invalid(path, count, 'must be greater than zero')];
};

const exactRequest = fields(
  { deviceClassName: required(text(validateDns1123Subdomain)), selectors: deviceSelectors },
  amount,
  fields({ tolerations: each(toleration) }),
);

const alternative = fields({ name: requestName }, exactRequest);

const request: Check = (value, at) => {
  const { name, exactly, firstAvailable } = isObject(value) ? value : {};
  const alternatives = objectsOf(firstAvailable);
  const errors = requestName(name, at.child('name'));
  const text = 'exactly one of `exactly` or `firstAvailable` is required';
  if (alternatives.length > 0 && isObject(exactly))
    errors.push(invalid(at, null, `${text}, but multiple fields are set`));
  else if (isObject(exactly)) errors.push(...exactRequest(exactly, at.child('exactly')));
  else if (alternatives.length > 0) {
    const path = at.child('firstAvailable');
    errors.push(...limited(mostAlternatives, alternative)(firstAvailable, path));
    errors.push(...different(nameOf)(firstAvailable, path));
  } else errors.push(fieldErrors.required(at, text));
  return errors;
};

/** Returns the names of the requests of a claim, and those of their alternatives after a slash. */
function requestNames(requests: unknown): ReadonlySet<string> {
  return new Set(
    objectsOf(requests).flatMap(({ name = '', firstAvailable }) => [
      String(name),
      ...objectsOf(firstAvailable).map((one) => `${String(name)}/${String(one.name ?? '')}`),
    ]),
  );
}

const unknownRequest =
  "must be the name of a request in the claim or the name of a request and a subrequest separated by '/'";

const reference =
  (names: ReadonlySet<string>): Check =>
  (value, at) => {
    const name = String(value ?? '');
    const segments = name.split('/');
    if (segments.length > 2) return [invalid(at, name, unknownRequest)];
    const errors = segments.flatMap((segment) => requestName(segment, at));
    return names.has(name) ? errors : [...errors, invalid(at, name, unknownRequest)];
  };

const references =
  (names: ReadonlySet<string>): Check =>
  (value, at) => [...limited(mostRequests, reference(names))(value, at), ...different(itself)(value, at)];

const attributes: Check = (value, at) => {
  const { matchAttribute, distinctAttribute } = isObject(value) ? value : {};
  if (typeof matchAttribute === 'string')
    return fullyQualifiedName(matchAttribute, at.child('matchAttribute'));
  if (typeof distinctAttribute === 'string')
    return fullyQualifiedName(distinctAttribute, at.child('distinctAttribute'));
  const text =
    'exactly one of "matchAttribute" or "distinctAttribute" is required, but multiple fields are set';
  return [fieldErrors.required(at, text)];
};

/** Checks the devices of a claim, also in templates. */
export function validateDeviceClaim(devices: JsonObject, at: FieldPath): FieldError[] {
  const names = requestNames(devices.requests);
  const ofRequests = references(names);
  return [
    ...limited(mostRequests, request)(devices.requests, at.child('requests')),
    ...different(nameOf)(devices.requests, at.child('requests')),
    ...limited(mostConstraints, fields({ requests: ofRequests }, attributes))(
      devices.constraints,
      at.child('constraints'),
    ),
    ...limited(mostConfigurations, fields({ requests: ofRequests }, deviceConfiguration))(
      devices.config,
      at.child('config'),
    ),
  ];
}
