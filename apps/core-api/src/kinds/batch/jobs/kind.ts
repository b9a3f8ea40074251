import { selectorCell } from '../../apps/shared/columns.ts';
import { namesPods, templateWarnings } from '../../shared/pod-spec/warnings.ts';
import { templateColumns } from '../../shared/cells.ts';
import { fieldText } from '../../shared/selectable-fields.ts';
import { both } from '../../shared/warnings.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { completions, jobDuration, jobStatus } from './columns.ts';
import { jobDefaults } from './defaults.ts';
import { jobStrategy } from './strategy.ts';
import { validateJobUpdate } from './update.ts';
import { validateJob, validateNewJob } from './validation.ts';

export const jobs: BuiltinKind = {
  group: 'batch',
  resource: 'jobs',
  defaults: jobDefaults,
  validation: {
    object: validateJob,
    create: validateNewJob,
    update: validateJobUpdate,
  },
  strategy: jobStrategy,
  warnings: both(namesPods, templateWarnings('spec', 'template')),
  cells: {
    Status: jobStatus,
    Completions: completions,
    Duration: jobDuration,
    ...templateColumns('spec.template', selectorCell),
  },
  selectableFields: new Map([['status.successful', fieldText('status.succeeded', '0')]]),
  unknownField: (name) => `field label ${JSON.stringify(name)} not supported for Job`,
};
