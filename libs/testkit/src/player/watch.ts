import type { IncomingMessage } from 'node:http';
import { createInterface } from 'node:readline';
import { readJson } from './scalars.ts';

/** A watch in the background, which collects its events. */
export class Watch {
  readonly status: number;
  private readonly response: IncomingMessage;
  private readonly gathered: unknown[] = [];
  private ended = false;
  private readonly listeners = new Set<() => void>();

  constructor(response: IncomingMessage) {
    this.status = response.statusCode ?? 0;
    this.response = response;
    const lines = createInterface({ input: response });
    lines.on('line', (line) => this.add(line));
    lines.on('close', () => this.end());
    response.on('error', () => this.end());
  }

  /** Resolves to the events so far when there are enough, the stream has ended, or the time is over. */
  events(wanted: { count: number; closed: boolean; within: number }): Promise<unknown[]> {
    const enough = () => this.ended || (!wanted.closed && this.gathered.length >= wanted.count);
    return new Promise((resolve) => {
      const finish = () => {
        clearTimeout(timer);
        this.listeners.delete(check);
        resolve([...this.gathered]);
      };
      const check = () => {
        if (enough()) finish();
      };
      const timer = setTimeout(finish, wanted.within);
      this.listeners.add(check);
      check();
    });
  }

  close(): void {
    this.response.destroy();
  }

  private add(line: string): void {
    try {
      this.gathered.push(readJson(line));
    } catch {
      // Handled as the end of the stream: later data is unreliable.
      this.end();
    }
    this.notify();
  }

  private end(): void {
    this.ended = true;
    this.notify();
  }

  private notify(): void {
    for (const listener of [...this.listeners]) listener();
  }
}
