import { OperatorError } from './error-codes.ts';

/** The error of a server that cannot listen: PORT_IN_USE or ADDRESS_UNAVAILABLE. */
export function listenError(cause: NodeJS.ErrnoException, address: string, port: number): OperatorError {
  const where = `${address}:${port}`;
  if (cause.code === 'EADDRINUSE') return new OperatorError('PORT_IN_USE', `${where} is in use`, { cause });
  return new OperatorError('ADDRESS_UNAVAILABLE', `cannot listen on ${where}: ${cause.message}`, { cause });
}
