import { runProgram } from '@annex/process';
import { discoveryProgram } from './program.ts';

process.exit(await runProgram(discoveryProgram));
