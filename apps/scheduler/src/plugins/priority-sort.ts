import { builtInPlugin } from '../framework/plugin.ts';

/** Orders the queue by priority, then by the time of entry. */
export const prioritySort = builtInPlugin('PrioritySort', () => ({
  less: (a, b) =>
    a.info.priority > b.info.priority || (a.info.priority === b.info.priority && a.timestamp < b.timestamp),
}));
