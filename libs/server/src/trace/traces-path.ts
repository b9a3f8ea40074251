/**
 * The path of the traces: a list; one trace by its audit ID; with `watch=true` new traces, one JSON object
 * per line.
 */
export const tracesPath = '/annex/traces';
