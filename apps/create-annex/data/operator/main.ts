import { KubeConfig } from '@kubernetes/client-node';
import { runOperator } from './operator.ts';

const config = new KubeConfig();
config.loadFromDefault();
// What it loads if there is no kubeconfig.
if (config.getCurrentCluster()?.server === 'http://localhost:8080') {
  console.error('There is no kubeconfig: set KUBECONFIG, for example to that of `npx annex up`.');
  process.exit(1);
}
const stop = await runOperator(config);
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void stop().then(() => process.exit(0)));
