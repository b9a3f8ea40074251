import { runProgram } from '@annex/process';
import { coreApiProgram } from './program.ts';

process.exit(await runProgram(coreApiProgram));
