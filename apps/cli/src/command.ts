import type { AnyRow } from '@annex/runtime';

/** A command of `annex`. Resolves to the exit code of the process. */
export interface Command {
  help: string;
  /** The words that may follow, for the completion of shells. */
  words?: readonly string[];
  /** The options, for the completion of shells. */
  options?(): Promise<Readonly<Record<string, AnyRow>>>;
  run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number>;
}
