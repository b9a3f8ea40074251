import { cronJobs } from './cronjobs/kind.ts';
import { jobs } from './jobs/kind.ts';
import type { BuiltinKind } from '../builtin-kind.ts';

/** The kinds of `batch`. */
export const batchGroup: readonly BuiltinKind[] = [cronJobs, jobs];
