import {
  type FieldError,
  fieldErrors,
  isObject,
  type JsonObject,
  validateDns1123Subdomain,
} from '@annex/machinery';
import { all, type Check, childOf, each, isMissing, limited, objectsOf } from '../../shared/checks.ts';
import { driverName } from '../../shared/driver-name.ts';
import { nodeSelector } from '../../shared/pod-spec/scheduling.ts';
import { differentNames } from '../shared/different.ts';
import { device, isAdvanced, labelName } from './devices.ts';

const { invalid, required } = fieldErrors;

const mostDevices = 128;
const mostAdvancedDevices = 64;
const mostCounterSets = 8;
const longestPool = 253;

const poolName: Check = (value, at) => {
  if (isMissing(value)) return [required(at)];
  const name = String(value);
  const errors = name
    .split('/')
    .flatMap((part) => validateDns1123Subdomain(part).map((why) => invalid(at, part, why)));
  return name.length > longestPool ? [fieldErrors.tooLong(at, name, longestPool), ...errors] : errors;
};

const pool: Check = (value, at) => {
  const { name, generation = 0, resourceSliceCount = 0 } = isObject(value) ? value : {};
  const errors = poolName(name, at.child('name'));
  if (Number(resourceSliceCount) <= 0)
    errors.push(invalid(at.child('resourceSliceCount'), resourceSliceCount, 'must be greater than zero'));
  if (Number(generation) < 0)
    errors.push(invalid(at.child('generation'), generation, 'must be greater than or equal to zero'));
  return errors;
};

const choices = ['nodeName', 'nodeSelector', 'allNodes', 'perDeviceNodeSelection'];
const oneChoice = `exactly one of ${choices.map((name) => `\`${name}\``).join(', ')} is required`;

/** Checks that a slice says in one way which nodes have its devices. */
const nodes: Check = (value, at) => {
  const spec: JsonObject = isObject(value) ? value : {};
  const errors: FieldError[] = [];
  const chosen: string[] = [];
  const { nodeName } = spec;
  if (nodeName === '')
    errors.push(invalid(at.child('nodeName'), '', 'must be either unset or set to a non-empty string'));
  else if (typeof nodeName === 'string') {
    chosen.push('`nodeName`');
    for (const why of validateDns1123Subdomain(nodeName))
      errors.push(invalid(at.child('nodeName'), nodeName, why));
  }
  if (isObject(spec.nodeSelector)) {
    chosen.push('`nodeSelector`');
    errors.push(...nodeSelector(spec.nodeSelector, at.child('nodeSelector')));
    const terms = spec.nodeSelector.nodeSelectorTerms;
    if (objectsOf(terms).length !== 1)
      errors.push(
        invalid(
          at.child('nodeSelector', 'nodeSelectorTerms'),
          terms,
          'must have exactly one node selector term',
        ),
      );
  }
  for (const name of ['allNodes', 'perDeviceNodeSelection'] as const) {
    if (spec[name] === true) chosen.push(`\`${name}\``);
    else if (spec[name] === false)
      errors.push(invalid(at.child(name), false, 'must be either unset or set to true'));
  }
  if (chosen.length === 0) errors.push(required(at, oneChoice));
  else if (chosen.length > 1)
    errors.push(invalid(at, `{${chosen.join(', ')}}`, `${oneChoice}, but multiple fields are set`));
  return errors;
};

const counterSet: Check = (value, at) => {
  const { name } = isObject(value) ? value : {};
  const counters = Object.keys(childOf({ value }, 'value').counters ?? {});
  const path = at.child('counters');
  return [
    ...(isMissing(name) ? [required(at.child('name'))] : labelName(name, at.child('name'))),
    ...(counters.length === 0 ? [required(path)] : counters.flatMap((counter) => labelName(counter, path))),
  ];
};

const counterSets = limited(mostCounterSets, all(each(counterSet), differentNames));

/** Checks the spec of a ResourceSlice. */
export const validateSliceSpec: Check = (value, at) => {
  const spec: JsonObject = isObject(value) ? value : {};
  const most = objectsOf(spec.devices).some(isAdvanced) ? mostAdvancedDevices : mostDevices;
  const hasBoth = spec.sharedCounters !== undefined && spec.devices !== undefined;
  return [
    ...driverName(spec.driver, at.child('driver')),
    ...pool(spec.pool, at.child('pool')),
    ...nodes(spec, at),
    ...(hasBoth ? [invalid(at, '', 'only one of `sharedCounters` or `devices` is allowed')] : []),
    ...limited(most, all(each(device), differentNames))(spec.devices, at.child('devices')),
    ...counterSets(spec.sharedCounters, at.child('sharedCounters')),
  ];
};
