import { fieldErrors, getOwn, isEmptyObject, isObject, type JsonObject } from '@annex/machinery';
import { labelsOf, runsForever, shownLabels, validatePodTemplate } from '../../shared/pod-spec/template.ts';
import { type Check, childOf, fields, nonNegative } from '../../shared/checks.ts';

const { invalid } = fieldErrors;

function isSelected(selector: JsonObject, labels: Record<string, unknown>): boolean {
  // A default selector shares very many labels with the template.
  if (selector === labels) return true;
  for (const key in selector) if (getOwn(labels, key) !== getOwn(selector, key)) return false;
  return true;
}

/** Checks a ReplicationController. */
export const validateReplicationController: Check = fields({
  spec: (value, at) => {
    const spec = isObject(value) ? value : {};
    const selector = childOf(spec, 'selector');
    const where = at.child('template', 'metadata', 'labels');
    return [
      ...nonNegative(spec.minReadySeconds, at.child('minReadySeconds')),
      ...(isEmptyObject(selector) ? [fieldErrors.required(at.child('selector'))] : []),
      ...nonNegative(spec.replicas, at.child('replicas')),
      ...(isObject(spec.template) ? [] : [fieldErrors.required(at.child('template'))]),
      ...(!isObject(spec.template) || isSelected(selector, labelsOf(spec.template))
        ? []
        : [invalid(where, shownLabels(spec.template), '`selector` does not match template `labels`')]),
      ...(isObject(spec.template) ? validatePodTemplate(spec.template, at.child('template')) : []),
      ...(isObject(spec.template)
        ? runsForever('ReplicationController')(spec.template, at.child('template'))
        : []),
    ];
  },
});
