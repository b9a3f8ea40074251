import { type Stats, unwatchFile, watchFile } from 'node:fs';
import { OperatorError } from './error-codes.ts';
import type { Logger } from './log.ts';
import { readTextFile } from './read-file.ts';

/** A text that may change while the process runs. */
export interface LiveText {
  current(): string;
  /** Calls the listener after each change, until the returned function is called. */
  onChange(listener: () => void): () => void;
  /** Calls the listener when a change could not be read, and the previous content stays. */
  onUnreadable?(listener: () => void): () => void;
}

/** Files that are reloaded when they change, as in kube-apiserver. */
export interface LiveFiles {
  /**
   * Reads a file now and after each change. `check` throws on invalid content: then the previous content
   * stays in use, and the error is logged. Throws OperatorError FILE_UNREADABLE if the first content is
   * invalid.
   */
  open(path: string, check?: (text: string) => void): Promise<LiveText>;
  /** Stops following all files. */
  close(): void;
}

/**
 * Polling once a second is cheap, and detects changes that file system events miss: mounts, swapped links.
 */
const defaultIntervalMs = 1_000;

/** Opens files that are followed; `intervalMs` is the polling interval. */
export function createLiveFiles(
  log: Pick<Logger, 'info' | 'warn'>,
  intervalMs: number = defaultIntervalMs,
): LiveFiles {
  const opened: LiveFile[] = [];
  return {
    async open(path, check = () => {}) {
      const file = new LiveFile(path, check, log);
      await file.start(intervalMs);
      opened.push(file);
      return file;
    },
    close() {
      for (const file of opened.splice(0)) file.stop();
    },
  };
}

/** A text that never changes. */
export const fixedText = (text: string): LiveText => ({ current: () => text, onChange: () => () => {} });

class LiveFile implements LiveText {
  readonly #path: string;
  readonly #check: (text: string) => void;
  readonly #log: Pick<Logger, 'info' | 'warn'>;
  readonly #listeners = new Set<() => void>();
  readonly #unreadable = new Set<() => void>();
  #text = '';

  constructor(path: string, check: (text: string) => void, log: Pick<Logger, 'info' | 'warn'>) {
    this.#path = path;
    this.#check = check;
    this.#log = log;
  }

  async start(interval: number): Promise<void> {
    // Watched before it is read, so that no change is missed.
    watchFile(this.#path, { interval, persistent: false }, this.#changed);
    try {
      this.#text = await this.#read();
    } catch (cause) {
      this.stop();
      throw new OperatorError('FILE_UNREADABLE', `cannot read ${this.#path}: ${(cause as Error).message}`, {
        cause,
      });
    }
  }

  stop(): void {
    unwatchFile(this.#path, this.#changed);
    this.#listeners.clear();
    this.#unreadable.clear();
  }

  current(): string {
    return this.#text;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  onUnreadable(listener: () => void): () => void {
    this.#unreadable.add(listener);
    return () => void this.#unreadable.delete(listener);
  }

  readonly #changed = (now: Stats): void => {
    // A missing file may be about to be replaced.
    if (now.mtimeMs !== 0) void this.#reload();
    else for (const listener of [...this.#unreadable]) listener();
  };

  async #reload(): Promise<void> {
    try {
      const text = await this.#read();
      if (text === this.#text) return;
      this.#text = text;
    } catch (error) {
      this.#log.warn('a changed file is invalid, its previous content stays in use', {
        file: this.#path,
        error,
      });
      for (const listener of [...this.#unreadable]) listener();
      return;
    }
    this.#log.info('a file has changed', { file: this.#path });
    for (const listener of [...this.#listeners]) listener();
  }

  async #read(): Promise<string> {
    const text = await readTextFile(this.#path);
    this.#check(text);
    return text;
  }
}
