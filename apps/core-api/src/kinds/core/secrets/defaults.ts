import { type Default, setAbsent } from '@annex/kinds';
import { isObject, setOwn } from '@annex/machinery';

/** Moves `stringData` to `data`. */
export const secretDefaults: Default = (object) => {
  setAbsent(object, { type: 'Opaque' });
  if (!isObject(object.stringData)) return;
  const data = isObject(object.data) ? object.data : {};
  for (const [key, text] of Object.entries(object.stringData)) {
    setOwn(data, key, Buffer.from(String(text)).toString('base64'));
  }
  object.data = data;
  delete object.stringData;
};
