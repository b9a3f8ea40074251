import { fieldErrors, getOwn, isObject } from '@annex/machinery';
import { labelsOf, runsForever, shownLabels, validatePodTemplate } from '../../shared/pod-spec/template.ts';
import { type Check, childOf, fields, nonNegative } from '../../shared/checks.ts';

const { invalid } = fieldErrors;

/** Checks a ReplicationController. */
export const validateReplicationController: Check = fields({
  spec: (value, at) => {
    const spec = isObject(value) ? value : {};
    const labels = labelsOf(spec.template) as Record<string, unknown>;
    const selector = Object.entries(childOf(spec, 'selector'));
    const found = selector.every(([key, label]) => getOwn(labels, key) === label);
    const where = at.child('template', 'metadata', 'labels');
    return [
      ...nonNegative(spec.minReadySeconds, at.child('minReadySeconds')),
      ...(selector.length === 0 ? [fieldErrors.required(at.child('selector'))] : []),
      ...nonNegative(spec.replicas, at.child('replicas')),
      ...(isObject(spec.template) ? [] : [fieldErrors.required(at.child('template'))]),
      ...(found || !isObject(spec.template)
        ? []
        : [invalid(where, shownLabels(spec.template), '`selector` does not match template `labels`')]),
      ...(isObject(spec.template) ? validatePodTemplate(spec.template, at.child('template')) : []),
      ...(isObject(spec.template)
        ? runsForever('ReplicationController')(spec.template, at.child('template'))
        : []),
    ];
  },
});
