import { setFlagsFromString } from 'node:v8';

/** How long after the first module the young generation stays small. */
const startMs = 4_000;

/**
 * Keeps V8's young generation at its first size while the process starts: loading modules would grow it to 32 MB, which
 * stay mapped and empty afterwards. Later it grows as the load asks for.
 */
export function startSmall(): void {
  setFlagsFromString('--semi-space-growth-factor=1');
  setTimeout(() => setFlagsFromString('--semi-space-growth-factor=2'), startMs).unref();
}
