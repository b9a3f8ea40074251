import { statusEndpoint } from '@annex/kinds';
import { namesPods, templateWarnings } from '../../shared/pod-spec/warnings.ts';
import { both } from '../../shared/warnings.ts';
import type { BuiltinKind } from '../../builtin-kind.ts';
import { jobSpecDefaults } from '../jobs/defaults.ts';
import { cronJobColumns } from './columns.ts';
import { validateCronJob, validateCronJobName } from './validation.ts';

export const cronJobs: BuiltinKind = {
  group: 'batch',
  resource: 'cronjobs',
  defaults: {
    ...jobSpecDefaults,
    'io.k8s.api.batch.v1.CronJobSpec': {
      concurrencyPolicy: 'Allow',
      suspend: false,
      successfulJobsHistoryLimit: 3,
      failedJobsHistoryLimit: 1,
    },
  },
  validation: { object: validateCronJob, create: validateCronJobName },
  strategy: {
    allowUnconditionalUpdate: true,
    generation: true,
    metaChecks: { asUpdate: 1, asWhole: 0, standardFinalizers: true },
  },
  warnings: both(namesPods, templateWarnings('spec', 'jobTemplate', 'spec', 'template')),
  cells: cronJobColumns,
  subresources: {
    status: statusEndpoint({ metaChecks: { asUpdate: 0, asWhole: 0, standardFinalizers: false } }),
  },
};
