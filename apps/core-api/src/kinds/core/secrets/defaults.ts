import { type Default, setAbsent } from '@annex/kinds';
import { isObject, type JsonObject } from '@annex/machinery';

/** Moves `stringData` to `data`. */
export const secretDefaults: Default = (object) => {
  setAbsent(object, { type: 'Opaque' });
  if (!isObject(object.stringData)) return;
  const encoded = Object.entries(object.stringData).map(([key, text]) => [
    key,
    Buffer.from(String(text)).toString('base64'),
  ]);
  object.data = {
    ...(object.data as JsonObject | undefined),
    ...(Object.fromEntries(encoded) as JsonObject),
  };
  delete object.stringData;
};
