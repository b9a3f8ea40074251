import { fieldErrors, isEmptyObject, isObject } from '@annex/machinery';
import { runsForever, selectorMatchesTemplate, validatePodTemplate } from '../../shared/pod-spec/template.ts';
import { type Check, childOf, isMissing, selector } from '../../shared/checks.ts';

const { invalid } = fieldErrors;

const isEmptySelector = (value: unknown) =>
  isEmptyObject(childOf(value, 'matchLabels')) &&
  isMissing(isObject(value) ? (value.matchExpressions ?? []) : []);

/** What kube-apiserver adds to the errors about a selector that is malformed; nothing for DaemonSets. */
const malformed = new Map([
  ['deployment', 'invalid label selector'],
  ['statefulset', ''],
]);

/** Checks the selector and the template of a workload, and that they match. */
export const selectsItsPods =
  (name: string, kind: string): Check =>
  (value, at) => {
    const spec = isObject(value) ? value : {};
    const where = at.child('selector');
    const missing = !isObject(spec.selector);
    const empty = `empty selector is invalid for ${name}`;
    return [
      ...(missing
        ? name === 'daemonset'
          ? []
          : [fieldErrors.required(where)]
        : selector(spec.selector, where)),
      ...(!missing && isEmptySelector(spec.selector) ? [invalid(where, spec.selector, empty)] : []),
      ...selectorMatchesTemplate(spec, at, malformed.get(name)),
      ...validatePodTemplate(spec.template, at.child('template')),
      ...runsForever(kind)(spec.template, at.child('template')),
    ];
  };
