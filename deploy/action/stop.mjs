// Stops Annex at the end of the job, and prints its log.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** The maximum time that Annex has to stop. */
const stopTimeoutMs = 10_000;

const { STATE_log: log, STATE_pid: pid } = process.env;
if (pid) {
  const deadline = performance.now() + stopTimeoutMs;
  for (let signal = 'SIGTERM'; send(signal); signal = 0) {
    if (performance.now() > deadline) {
      send('SIGKILL');
      break;
    }
    await delay(50);
  }
  // The log has texts of clients: without the token, the runner would run commands in them.
  const token = randomUUID();
  const text = readFileSync(log, 'utf8');
  process.stdout.write(
    `::group::Log of Annex\n::stop-commands::${token}\n${text}\n::${token}::\n::endgroup::\n`,
  );
}

/** Returns false if the process has ended. */
function send(signal) {
  try {
    return process.kill(Number(pid), signal);
  } catch {
    return false;
  }
}
