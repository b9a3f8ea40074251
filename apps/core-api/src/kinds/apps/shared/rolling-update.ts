import { setAbsent } from '@annex/kinds';
import { getOwn, isObject, type JsonObject, type JsonValue } from '@annex/machinery';

/** Sets the type of an update strategy, and the parameters if it is a rolling update. */
export function rollingUpdate(
  holder: JsonObject,
  field: string,
  parameters: Readonly<Record<string, JsonValue>>,
): void {
  setAbsent(holder, { [field]: {} });
  const strategy = getOwn(holder, field);
  if (!isObject(strategy)) return;
  if (!strategy.type) strategy.type = 'RollingUpdate';
  if (strategy.type !== 'RollingUpdate') return;
  setAbsent(strategy, { rollingUpdate: {} });
  if (isObject(strategy.rollingUpdate)) setAbsent(strategy.rollingUpdate, parameters);
}
