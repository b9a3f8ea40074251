/**
 * Node's `http`. An `import` of it reads everything that it exports, and for one of these, its WebSocket, Node loads a client
 * that nobody here uses: 14 MB and a tenth of the time of a start.
 */
export const nodeHttp = process.getBuiltinModule('node:http');
