import type { Agent } from '../agents/agent.ts';
import type { AgentPool } from '../agents/agent-pool.ts';
import type { DialFailure, DialHandler } from './frontend.ts';

/** What a client asks for. */
export interface DialRequest {
  protocol: string;
  address: string;
  random: bigint;
}

/** What all dials share. */
export interface DialSetting {
  agents: AgentPool;
  timeoutMs: number;
  /** Called with the seconds of a dial that succeeded. */
  observed(seconds: number): void;
  /** Called for a dial that failed. */
  failed(reason: DialFailure): void;
}

/** A dial of a client: at one agent, and at another if that one disappears. */
export class Dial {
  readonly #setting: DialSetting;
  readonly #request: DialRequest;
  readonly #handler: DialHandler;
  readonly #tried = new Set<Agent>();
  readonly #start = performance.now();
  readonly #timer: NodeJS.Timeout;
  #agent: Agent | undefined;
  /** The name of the dial on the stream of its agent. */
  #random = 0n;
  #isOver = false;

  constructor(setting: DialSetting, request: DialRequest, handler: DialHandler) {
    this.#setting = setting;
    this.#request = request;
    this.#handler = handler;
    this.#timer = setTimeout(() => this.#timedOut(), setting.timeoutMs);
    this.#try();
  }

  /** The client gave up. */
  cancel(): void {
    if (!this.#end('frontend_close')) return;
    this.#agent?.cancel(this.#random);
  }

  #try(): void {
    const agent = this.#setting.agents.choose(this.#request.address, this.#tried);
    if (agent === undefined) return this.#noAgent();
    this.#tried.add(agent);
    this.#agent = agent;
    const random = agent.dial({
      ...this.#request,
      connected: (connection) => {
        this.#end(undefined);
        return this.#handler.connected(connection);
      },
      failed: (message, reason) => this.#fail(message, reason),
      lost: () => this.#try(),
    });
    if (random === undefined) this.#try();
    else this.#random = random;
  }

  #noAgent(): void {
    const last = this.#agent;
    if (last === undefined) return this.#fail('No agent available', 'no_agent');
    if (!last.isEnding) return this.#fail(`too many dials wait for the agent ${last.id}`, 'no_agent');
    const message = `the agent ${last.id} disconnected during the dial, and no other agent is available`;
    this.#fail(message, 'backend_close');
  }

  #timedOut(): void {
    this.#agent?.cancel(this.#random);
    this.#fail('timed out waiting for backend dial', 'backend_dial_timeout');
  }

  #fail(message: string, reason: DialFailure): void {
    if (this.#end(reason)) this.#handler.failed(message, reason);
  }

  #end(failure: DialFailure | undefined): boolean {
    if (this.#isOver) return false;
    this.#isOver = true;
    clearTimeout(this.#timer);
    if (failure === undefined) this.#setting.observed((performance.now() - this.#start) / 1000);
    else this.#setting.failed(failure);
    return true;
  }
}
