/** A command of `annex`. Resolves to the exit code of the process. */
export interface Command {
  help: string;
  run(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number>;
}
