import { optionGroup, type OptionsTable } from '../options.ts';

/** When a process ends itself. */
export interface WatchdogConfig {
  /** Milliseconds; 0 disables the watchdog. */
  maxLoopStall: number;
}

/** The option of every server that runs in a separate process. */
export const watchdogOptions: OptionsTable<WatchdogConfig> = optionGroup('Process', {
  maxLoopStall: {
    flag: 'max-loop-stall',
    type: 'duration',
    default: 10_000,
    min: 0,
    help: 'Maximum time that the event loop may be stuck before the process logs its stack and exits with code 70; 0 disables the check.',
  },
});
