import { runProgram } from '@annex/process';
import { authorizationProgram } from './program.ts';

process.exit(await runProgram(authorizationProgram));
