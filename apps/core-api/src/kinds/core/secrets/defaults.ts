import { type Default, setAbsent } from '@annex/kinds';
import {
  countMember,
  getOwn,
  isObject,
  type JsonObject,
  namesInPasses,
  type Passes,
  setOwn,
} from '@annex/machinery';

/** Moves `stringData` to `data`. */
export const secretDefaults: Default = (object) => {
  setAbsent(object, { type: 'Opaque' });
  return isObject(object.stringData) ? moveTexts(object, object.stringData) : undefined;
};

/** Texts that are moved in one pass. */
const movedAtOnce = 500;

/** Throws 413 if both together have too many members. */
function* moveTexts(object: JsonObject, texts: JsonObject): Passes<void> {
  const data = isObject(object.data) ? object.data : {};
  let members = (yield* namesInPasses(data)).length;
  for (const [i, key] of (yield* namesInPasses(texts)).entries()) {
    if (i % movedAtOnce === movedAtOnce - 1) yield;
    if (!Object.hasOwn(data, key)) countMember(data, ++members, key);
    setOwn(data, key, Buffer.from(String(getOwn(texts, key))).toString('base64'));
  }
  object.data = data;
  delete object.stringData;
}
