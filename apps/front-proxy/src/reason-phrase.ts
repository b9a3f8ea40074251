import { nodeHttp } from '@annex/runtime';

/** Statuses whose reason phrase differs between Go and Node; '' if Go has none. */
const differing = new Map([
  [413, 'Request Entity Too Large'],
  [414, 'Request URI Too Long'],
  [416, 'Requested Range Not Satisfiable'],
  [418, "I'm a teapot"],
  [509, ''],
]);

/** Returns the reason phrase of Go's server. */
export const reasonPhrase = (status: number): string =>
  (differing.get(status) ?? nodeHttp.STATUS_CODES[status]) || `status code ${status}`;
