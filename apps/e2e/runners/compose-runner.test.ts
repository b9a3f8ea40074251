import { startProcesses } from './compose-runner.ts';
import { runnerContract } from './runner.contract.ts';

runnerContract('the services of the compose file as processes', startProcesses, {
  processes: [
    'object-storage',
    'core-api',
    'crd-registry',
    'authorization',
    'discovery',
    'front-proxy',
    'controllers',
  ],
  process: 'core-api',
});
