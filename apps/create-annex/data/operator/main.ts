import { KubeConfig } from '@kubernetes/client-node';
import { runOperator } from './operator.ts';

const config = new KubeConfig();
config.loadFromDefault();
const stop = await runOperator(config);
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => void stop().then(() => process.exit(0)));
