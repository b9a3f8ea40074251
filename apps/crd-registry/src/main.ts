import { runProgram } from '@annex/process';
import { crdRegistryProgram } from './program.ts';

process.exit(await runProgram(crdRegistryProgram));
