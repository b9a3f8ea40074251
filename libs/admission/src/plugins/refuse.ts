import { forbidden, type StatusError } from '@annex/machinery';
import type { AdmissionAttributes } from '@annex/server';

/** Creates the 403 of an admission plugin for the object, which may not have a name yet. */
export function refuse({ kind, name, object }: AdmissionAttributes, why: string): StatusError {
  const { name: own, generateName } = object?.metadata ?? {};
  return forbidden(kind, name || own || generateName || 'Unknown', why);
}
