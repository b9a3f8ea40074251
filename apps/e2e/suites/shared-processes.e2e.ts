import { findTool, requireTools } from '@annex/testkit';
import { afterAll, describe } from 'vitest';
import { stopSharedProcesses } from '../runners/shared-processes.ts';

// These suites run on the same separate processes, one after the other. The recordings expect a new server; the last two have controllers.
const suites = [
  'recordings-on-processes',
  'attacks-on-apps',
  'hostile-input-identity',
  'one-reading',
  'attacks-on-connections',
  ...(requireTools('the suites on etcd', 'etcd') ? [] : ['kubectl-basics']),
  'trace',
  // The extension server of the SDK keeps the same promises; it stands in for the Go program where that cannot be built.
  findTool('go') === undefined ? 'aggregation-sample-extension' : 'aggregation-sample-apiserver',
  'controllers',
  'controllers-quota',
];

afterAll(stopSharedProcesses);

// The query loads a suite anew, should this worker have loaded it before.
for (const name of suites) describe(name, async () => void (await import(`./${name}.e2e.ts?shared`)));
