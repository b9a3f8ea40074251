import { runProgram } from '@annex/process';
import { frontProxyProgram } from './program.ts';

process.exit(await runProgram(frontProxyProgram));
