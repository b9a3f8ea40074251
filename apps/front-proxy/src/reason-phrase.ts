import { nodeHttp } from '@annex/runtime';

/** Where Go's names of statuses are not Node's; '' where Go has none. */
const differing = new Map([
  [413, 'Request Entity Too Large'],
  [414, 'Request URI Too Long'],
  [416, 'Requested Range Not Satisfiable'],
  [418, "I'm a teapot"],
  [509, ''],
]);

/** What the status line of an answer says after the code, as Go's server does. */
export const reasonPhrase = (status: number): string =>
  (differing.get(status) ?? nodeHttp.STATUS_CODES[status]) || `status code ${status}`;
