/** Where the traces are: a list, one by its audit id, and with `watch=true` those to come, one JSON object a line. */
export const tracesPath = '/annex/traces';
