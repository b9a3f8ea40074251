export { type TestResponse, send } from './response.ts';
export { memoryDeps } from './deps.ts';
export { administrator, authenticateAs, allowMasters, tokenIsName } from './identities.ts';
export { startMemoryEtcd } from './memory-etcd.ts';
export { serve, type Served } from './serve.ts';
