const code = `
  const { runObjectStorage } = await import(${JSON.stringify(new URL('./run.ts', import.meta.url).href)});
  process.exit(await runObjectStorage(process.argv.slice(1), process.env));`;

/** The arguments of Node that run object-storage in a process. Its options follow. */
export const objectStorageProcess: readonly string[] = ['--input-type=module', '--eval', code, '--'];
