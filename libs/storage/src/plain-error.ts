import { type Entry, StoreError, type StoreErrorCode } from './store.ts';

/** A StoreError in a message between threads. */
export interface PlainError {
  code: StoreErrorCode;
  message: string;
  current?: Entry;
  revision?: number;
}

export function plainError(error: StoreError): PlainError {
  const plain: PlainError = { code: error.code, message: error.message };
  if (error.current) plain.current = error.current;
  if (error.revision !== undefined) plain.revision = error.revision;
  return plain;
}

export function storeError({ code, message, ...about }: PlainError): StoreError {
  return new StoreError(code, message, about);
}
