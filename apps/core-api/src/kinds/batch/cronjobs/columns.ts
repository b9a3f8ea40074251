import { age, type Cell } from '@annex/kinds';
import { at, type Cells, countCell, selectorText, templateColumns, textCell } from '../../shared/cells.ts';

const suspended: Cell = (object) => {
  const value = at(object, 'spec.suspend');
  return value === undefined ? '<unset>' : value === true ? 'True' : 'False';
};

export const cronJobColumns: Cells = {
  Schedule: textCell('spec.schedule'),
  Timezone: textCell('spec.timeZone', '<none>'),
  Suspend: suspended,
  Active: countCell('status.active'),
  'Last Schedule': (cronJob, now) => {
    const last = at(cronJob, 'status.lastScheduleTime');
    return last === undefined ? '<none>' : age(String(last), now);
  },
  ...templateColumns('spec.jobTemplate.spec.template', (cronJob) =>
    selectorText(at(cronJob, 'spec.jobTemplate.spec.selector')),
  ),
};
