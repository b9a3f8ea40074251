import {
  errorsOfMembers,
  fieldErrors,
  getOwn,
  isEmptyObject,
  isObject,
  type JsonObject,
  validateDns1123Label,
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
import { attributeName } from '../shared/qualified-names.ts';
import { isSemanticVersion } from './semantic-version.ts';

const { invalid } = fieldErrors;

const longestValue = 64;
const mostAttributes = 32;
const mostTaints = 16;

const short: Check = (value, at) =>
  typeof value === 'string' && value.length > longestValue
    ? [fieldErrors.tooLong(at, value, longestValue)]
    : [];

const version: Check = (value, at) =>
  typeof value !== 'string' || isSemanticVersion(value)
    ? []
    : [invalid(at, value, 'must be a string compatible with semver.org spec 2.0.0')];

const valueTypes = ['bool', 'int', 'string', 'version', 'bools', 'ints', 'strings', 'versions'];

/** Checks the value of an attribute, which has one of several types. */
const attribute: Check = (value, at) => {
  const provided = valueTypes.filter((name) => getOwn(isObject(value) ? value : {}, name) !== undefined);
  const errors = fields({ string: short, version: all(version, short) })(value, at);
  if (provided.length === 1) return errors;
  return [...errors, invalid(at, provided.length === 0 ? '' : value, 'exactly one value must be specified')];
};

/** Checks the keys and values of a map. */
const entries =
  (check: Check): Check =>
  (value, at) =>
    errorsOfMembers(isObject(value) ? value : {}, (name, item) => [
      ...attributeName(name, at),
      ...check(item ?? {}, at.key(name)),
    ]);

const taint = fields({
  key: (value, at) => validateQualifiedName(String(value ?? '')).map((why) => invalid(at, value ?? '', why)),
  value: text(validateLabelValue),
  effect: required(oneOf('NoExecute', 'NoSchedule', 'None')),
});

/** Checks a name, which may not be empty. */
export const labelName: Check = (value, at) =>
  validateDns1123Label(String(value ?? '')).map((why) => invalid(at, value ?? '', why));

/** Checks a device of a slice. */
export const device: Check = (value, at) => {
  const provided: JsonObject = isObject(value) ? value : {};
  const count = ['attributes', 'capacity'].reduce(
    (sum, name) => sum + Object.keys(childOf(provided, name)).length,
    0,
  );
  return [
    ...labelName(provided.name, at.child('name')),
    ...(count > mostAttributes
      ? [
          invalid(
            at,
            count,
            `the total number of attributes and capacities must not exceed ${mostAttributes}`,
          ),
        ]
      : []),
    ...entries(attribute)(provided.attributes, at.child('attributes')),
    ...entries(() => [])(provided.capacity, at.child('capacity')),
    ...limited(mostTaints, each(taint))(provided.taints, at.child('taints')),
    ...consumedCounters(provided.consumesCounters, at.child('consumesCounters')),
  ];
};

const mostConsumptions = 2;

const consumption = fields({
  counterSet: required(text(validateDns1123Label)),
  counters: (value, at) =>
    !isObject(value) || isEmptyObject(value)
      ? [fieldErrors.required(at)]
      : errorsOfMembers(value, (name) => labelName(name, at)),
});

const consumedCounters = limited(mostConsumptions, each(consumption));

/** Returns whether a device has what makes slices smaller. */
export const isAdvanced = (value: JsonObject): boolean =>
  !isMissing(value.taints) || objectsOf(value.consumesCounters).length > 0;
