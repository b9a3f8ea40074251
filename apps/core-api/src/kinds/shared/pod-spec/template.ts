import type { FieldPath } from '@annex/machinery';
import {
  compileLabelSelectorInPasses,
  emptyFieldOf,
  errorsOfPasses,
  type FieldError,
  fieldErrors,
  isObject,
  type JsonObject,
  type JsonValue,
  type LabelSelectorObject,
  type Passes,
  SelectorError,
  validateAnnotations,
  validateLabels,
} from '@annex/machinery';
import { type Check, childOf, isMissing } from '../checks.ts';
import { validatePodSpec } from './validation.ts';

const { invalid } = fieldErrors;

type Labels = Record<string, string>;

export const labelsOf = (template: unknown): Labels =>
  childOf(childOf(template, 'metadata'), 'labels') as unknown as Labels;

const annotationsOf = (template: unknown): Labels =>
  childOf(childOf(template, 'metadata'), 'annotations') as unknown as Labels;

/** Checks a pod template: the labels and the spec of its pods. */
export const validatePodTemplate: Check = (value, at) => [
  ...validateLabels(labelsOf(value), at.child('labels')),
  ...validateAnnotations(annotationsOf(value), at.child('annotations')),
  ...validatePodSpec(childOf(value, 'spec'), at.child('spec')),
  ...(isMissing(childOf(value, 'spec').ephemeralContainers)
    ? []
    : [
        fieldErrors.forbidden(
          at.child('spec', 'ephemeralContainers'),
          'ephemeral containers not allowed in pod template',
        ),
      ]),
];

/** Returns the labels of a template as the Go value that kube-apiserver prints: absent ones are null. */
export function shownLabels(template: unknown): JsonValue {
  const metadata = childOf(template, 'metadata');
  return emptyFieldOf(metadata, 'labels') ?? metadata.labels ?? null;
}

/** Checks that pods run permanently: they always restart, and have no deadline. */
export const runsForever =
  (kind: string): Check =>
  (value, at) => {
    const spec = childOf(value, 'spec');
    const where = at.child('spec');
    return [
      ...(spec.restartPolicy === 'Always'
        ? []
        : [fieldErrors.notSupported(where.child('restartPolicy'), spec.restartPolicy, ['Always'])]),
      ...(spec.activeDeadlineSeconds === undefined
        ? []
        : [
            fieldErrors.forbidden(
              where.child('activeDeadlineSeconds'),
              `activeDeadlineSeconds in ${kind} is not Supported`,
            ),
          ]),
    ];
  };

/** Returns a selector in the order of the Go value of kube-apiserver. */
const goSelector = ({ matchLabels, matchExpressions }: JsonObject) => ({
  ...(isObject(matchLabels)
    ? { matchLabels: Object.fromEntries(Object.entries(matchLabels).sort(([a], [b]) => (a < b ? -1 : 1))) }
    : {}),
  ...(matchExpressions === undefined ? {} : { matchExpressions }),
});

/**
 * Checks that the selector of a workload matches the labels of its template. `malformed` is the text about a selector that cannot be
 * compiled; without it, such a selector is no error here.
 */
export const selectorMatchesTemplate = (
  spec: JsonObject,
  at: FieldPath,
  malformed: string | undefined,
): FieldError[] => errorsOfPasses(matchErrors(spec, at, malformed));

function* matchErrors(spec: JsonObject, at: FieldPath, malformed: string | undefined): Passes<FieldError[]> {
  try {
    const compiled = yield* compileLabelSelectorInPasses(spec.selector as LabelSelectorObject | undefined);
    const labels = labelsOf(spec.template);
    if (compiled.empty || compiled.matches(labels)) return [];
    const where = at.child('template', 'metadata', 'labels');
    return [invalid(where, shownLabels(spec.template), '`selector` does not match template `labels`')];
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    if (malformed === undefined) return [];
    return [invalid(at.child('selector'), goSelector(childOf(spec, 'selector')), malformed)];
  }
}
