import { findTool, requireTools } from '@annex/testkit';
import { shareSuites } from './share-suites.ts';

// These suites run on the same separate processes, one after the other. The recordings expect a new server; the last two have controllers.
shareSuites(
  [
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
  ],
  'processes',
);
