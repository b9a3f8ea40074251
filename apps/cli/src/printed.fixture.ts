import { vi } from 'vitest';

/** Runs a command; resolves to its exit code and output. */
export async function printed(
  command: () => Promise<number>,
): Promise<{ code: number; out: string; err: string }> {
  let out = '';
  let err = '';
  const spies = [
    vi.spyOn(process.stdout, 'write').mockImplementation((text) => Boolean((out += String(text)))),
    vi.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((err += String(text)))),
  ];
  try {
    return { code: await command(), out, err };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
