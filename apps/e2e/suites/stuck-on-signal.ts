// `node --import stuck-on-signal.ts …`: SIGUSR2 blocks the event loop of the process, in the way that ANNEX_TEST_STALL names.
process.on('SIGUSR2', () => (process.env.ANNEX_TEST_STALL === 'regex' ? matchForever() : waitForever()));

function matchForever(): boolean {
  // Most of the stall takes no processor time.
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 7_000);
  return /^(a+)+$/.test(`${'a'.repeat(80)}!`);
}

function waitForever(): string {
  return Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
}
