import {
  fieldErrors,
  isObject,
  type JsonObject,
  validateDns1123Label,
  validateDns1123Subdomain,
  validateLabelValue,
  validateQualifiedName,
} from '@annex/machinery';
import {
  all,
  type Check,
  childOf,
  each,
  fields,
  isMissing,
  limited,
  objectsOf,
  oneOf,
  required,
  text,
} from '../../shared/checks.ts';
import { differentNames, differentTexts } from './different.ts';
import { deviceConfiguration } from './device-configuration.ts';
import { compileInSlices, deviceSelectors } from './device-selectors.ts';
import { fullyQualifiedName } from './qualified-names.ts';

const { invalid, notSupported } = fieldErrors;

const mostRequests = 32;
const mostConstraints = 32;
const mostConfigurations = 32;
const mostAlternatives = 8;

/** Checks names of requests, which may not be empty. */
const requestName: Check = (value, at) =>
  validateDns1123Label(String(value ?? '')).map((why) => invalid(at, value ?? '', why));

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

const alternativeList = limited(
  mostAlternatives,
  all(each(fields({ name: requestName }, exactRequest)), differentNames),
);

const request: Check = (value, at) => {
  const { name, exactly, firstAvailable } = isObject(value) ? value : {};
  const alternatives = objectsOf(firstAvailable);
  const errors = requestName(name, at.child('name'));
  const text = 'exactly one of `exactly` or `firstAvailable` is required';
  if (alternatives.length > 0 && isObject(exactly))
    errors.push(invalid(at, null, `${text}, but multiple fields are set`));
  else if (isObject(exactly)) errors.push(...exactRequest(exactly, at.child('exactly')));
  else if (alternatives.length > 0) {
    errors.push(...alternativeList(firstAvailable, at.child('firstAvailable')));
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

const references = (names: ReadonlySet<string>): Check =>
  limited(mostRequests, all(each(reference(names)), differentTexts));

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

const requests = limited(mostRequests, all(each(request), differentNames));

/** Checks the devices of a claim, also in templates. */
const devices: Check = (value, at) => {
  const ofRequests = references(requestNames(childOf({ value }, 'value').requests));
  return fields({
    requests,
    constraints: limited(mostConstraints, each(fields({ requests: ofRequests }, attributes))),
    config: limited(mostConfigurations, each(fields({ requests: ofRequests }, deviceConfiguration))),
  })(value, at);
};

/** Checks the spec of a claim. */
export const validateClaimSpec: Check = fields({ devices });

/** Compiles the expressions of a large claim in slices. */
export const compileClaim = (spec: JsonObject): Promise<void> | undefined =>
  compileInSlices(
    objectsOf(childOf(spec, 'devices').requests)
      .flatMap(({ exactly, firstAvailable }) => [...objectsOf([exactly]), ...objectsOf(firstAvailable)])
      .map(({ selectors }) => selectors),
  );
