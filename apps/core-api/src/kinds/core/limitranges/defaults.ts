import { type Default, setAbsent } from '@annex/kinds';
import { getOwn, isEmptyMap, type JsonObject } from '@annex/machinery';

/** The default requests of containers are derived from limits and minimums. */
export const limitRangeItem: Default = (item) => {
  if (item.type !== 'Container') return;
  const { max = {}, min = {} } = item;
  setAbsent(item, { default: {}, defaultRequest: {} });
  setAbsent(item.default as JsonObject, max as JsonObject);
  setAbsent(item.defaultRequest as JsonObject, item.default as JsonObject);
  setAbsent(item.defaultRequest as JsonObject, min as JsonObject);
  for (const field of ['default', 'defaultRequest']) if (isEmptyMap(getOwn(item, field))) delete item[field];
};
