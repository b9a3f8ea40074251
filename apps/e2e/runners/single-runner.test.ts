import { runnerContract } from './runner.contract.ts';
import { startSingle } from './single-runner.ts';

runnerContract('a single process', startSingle, { processes: ['annex'], process: 'annex' });
