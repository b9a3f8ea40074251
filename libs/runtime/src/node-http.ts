/**
 * Node's `http`. An `import` evaluates all of its exports; one of them, WebSocket, loads a client that Annex
 * does not use: 14 MB and a tenth of the start time.
 */
export const nodeHttp = process.getBuiltinModule('node:http');
