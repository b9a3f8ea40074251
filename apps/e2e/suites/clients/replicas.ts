import { type RunningProcess, startProcess } from '@annex/testkit';

/** Replicas of the reconciler. A replica that ends is replaced by one with a new name, as in a Deployment. */
export class Replicas implements AsyncDisposable {
  readonly #command: string;
  readonly #args: readonly string[];
  readonly #running = new Map<string, RunningProcess>();
  #started = 0;
  #closed = false;

  constructor(program: string, kubeconfig: string) {
    this.#command = program;
    const lease = ['--lease-duration', '15s', '--renew-deadline', '12s'];
    this.#args = ['reconciler', '--kubeconfig', kubeconfig, ...lease];
  }

  /** Starts another replica, and resolves to its name. */
  async start(): Promise<string> {
    const name = `replica-${++this.#started}`;
    const replica = await startProcess(this.#command, { args: [...this.#args, '--replica', name] });
    this.#running.set(name, replica);
    void replica.exited.then(() => {
      this.#running.delete(name);
      return this.#closed ? undefined : this.start();
    });
    return name;
  }

  /** Resolves when the replica is the leader. */
  async leads(name: string): Promise<void> {
    await this.#running.get(name)?.waitFor(/^elected /);
  }

  async kill(name: string): Promise<void> {
    await this.#running.get(name)?.stop('SIGKILL');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#closed = true;
    await Promise.all([...this.#running.values()].map((replica) => replica.stop('SIGKILL')));
  }
}
