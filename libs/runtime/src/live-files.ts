import { type Stats, unwatchFile, watchFile } from 'node:fs';
import { OperatorError } from './error-codes.ts';
import type { Logger } from './log.ts';
import { readTextFile } from './read-file.ts';

/** A text that may change while the process runs. */
export interface LiveText {
  current(): string;
  /** Calls back after each change, until the function that it returns is called. */
  onChange(listener: () => void): () => void;
  /** Calls back each time that it could not be read again, and the content from before stays. */
  onUnreadable?(listener: () => void): () => void;
}

/** Files that are read again when they change, as those of kube-apiserver are. */
export interface LiveFiles {
  /**
   * Reads a file now and after each change. `check` throws where a content is of no use: then the one before stays in use,
   * and the log says so. Throws OperatorError FILE_UNREADABLE where the first content is of no use.
   */
  open(path: string, check?: (text: string) => void): Promise<LiveText>;
  /** Looks at no file anymore. */
  close(): void;
}

/** A look each second costs next to nothing, and sees what notices of file systems miss: mounts, swapped links. */
const defaultIntervalMs = 1_000;

/** Opens files that are followed; `intervalMs` says how often they are looked at. */
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
    // Watched first: a change between the two is seen.
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
    // A file that is gone may be about to be replaced.
    if (now.mtimeMs !== 0) void this.#reload();
    else for (const listener of [...this.#unreadable]) listener();
  };

  async #reload(): Promise<void> {
    try {
      const text = await this.#read();
      if (text === this.#text) return;
      this.#text = text;
    } catch (error) {
      this.#log.warn('a changed file is of no use, its content from before stays', {
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
