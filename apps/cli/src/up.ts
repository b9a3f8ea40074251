import { helpText, parseOptions, watchEventLoop } from '@annex/runtime';
import { startAnnex } from './annex.ts';
import { complain } from './complain.ts';
import { upConflicts, upOptions } from './up-options.ts';

/** `annex up`: runs until SIGTERM or SIGINT. Resolves to the exit code. */
export async function runUp(argv: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const parsed = parseOptions(upOptions, argv, env, upConflicts);
  if (parsed.kind === 'help') {
    process.stdout.write(helpText('annex up', upOptions));
    return 0;
  }
  if (parsed.kind === 'errors') return complain(parsed.errors);
  try {
    const annex = await startAnnex(parsed.config);
    // performance.now() counts from the start of the process.
    const seconds = (performance.now() / 1000).toFixed(2);
    process.stdout.write(`annex is ready in ${seconds} s: ${annex.url} (kubeconfig ${annex.kubeconfig})\n`);
    watchEventLoop(parsed.config);
    await stopSignal();
    return complain(await annex.stop());
  } catch (error) {
    return complain([error]);
  }
}

function stopSignal(): Promise<void> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => resolve());
  });
}
