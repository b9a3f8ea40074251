import { forbidden, type StatusError } from '@annex/machinery';
import type { AdmissionAttributes } from '@annex/server';

/** The answer of an admission plugin that refuses: it names the object, which may have no name yet. */
export function refuse({ kind, name, object }: AdmissionAttributes, why: string): StatusError {
  const { name: own, generateName } = object?.metadata ?? {};
  return forbidden(kind, name || own || generateName || 'Unknown', why);
}
