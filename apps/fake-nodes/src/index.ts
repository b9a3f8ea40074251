export { type FakeNodesConfig, fakeNodesConflicts, fakeNodesOptions } from './config.ts';
export { createFakeNodes, type FakeNodes, type FakeNodesDeps } from './fake-nodes.ts';
export { fakeNodesProcessOptions } from './options.ts';
export { runFakeNodes } from './run.ts';
