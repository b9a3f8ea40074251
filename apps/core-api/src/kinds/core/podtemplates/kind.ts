import { podSpecDefaults } from '../../shared/pod-spec/defaults.ts';
import { validatePodTemplate } from '../../shared/pod-spec/template.ts';
import { templateWarnings } from '../../shared/pod-spec/warnings.ts';
import { at, labelsText, templateColumns } from '../../shared/cells.ts';
import { childOf } from '../../shared/checks.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';

export const podTemplates: BuiltinKind = {
  group: '',
  resource: 'podtemplates',
  defaults: podSpecDefaults,
  validation: {
    object: (value, at) => validatePodTemplate(childOf(value, 'template'), at.child('template')),
  },
  strategy: {
    allowUnconditionalUpdate: true,
    generation: true,
    metaChecks: { asUpdate: 1, asWhole: 0, standardFinalizers: true },
    returnsDeleted: true,
  },
  warnings: templateWarnings('template'),
  cells: {
    ...templateColumns('template'),
    'Pod Labels': (podTemplate) => labelsText(at(podTemplate, 'template.metadata.labels')),
  },
};
