/**
 * What an operator may have to act on: one row a code. The codes are stable; `docs/reference/errors.md` repeats
 * this table, and a test compares the two.
 */
export const operatorErrors = {
  OPTION_UNKNOWN: {
    what: 'An option is not known.',
    next: 'Run the command with --help for the list of options, and check the spelling.',
  },
  OPTION_VALUE_MISSING: {
    what: 'An option that needs a value stands without one.',
    next: 'Give the value after a space or an equals sign: --port 6443 or --port=6443.',
  },
  OPTION_VALUE_INVALID: {
    what: 'The value of an option, or of its environment variable, is not of the kind that the option takes.',
    next: 'Compare the value with what --help says about the option.',
  },
  OPTION_REQUIRED: {
    what: 'An option without a default was not given.',
    next: 'Give the option on the command line, or set its environment variable.',
  },
  OPTION_REPEATED: {
    what: 'An option that takes one value was given more than once.',
    next: 'Keep one of them.',
  },
  OPTION_CONFLICT: {
    what: 'Options contradict each other, or one needs another one.',
    next: 'Give the options together as the message says.',
  },
  ARGUMENT_UNEXPECTED: {
    what: 'A word on the command line belongs to no option.',
    next: 'Remove it, or join it to its option with an equals sign. Values with spaces need quotes.',
  },
  NODE_VERSION_UNSUPPORTED: {
    what: 'The Node that runs the process is older than the one that Annex is tested with, or has another major version.',
    next: 'Run it with node_modules/.bin/node, which `npm ci` installs, or with a later release of that Node.',
  },
  DATA_DIR_IN_USE: {
    what: 'Another process holds the data directory.',
    next: 'Stop that process, or choose another directory with --data-dir.',
  },
  DATA_DIR_UNUSABLE: {
    what: 'The data directory cannot be created, read or written, or holds something else.',
    next: 'Check the path and its permissions, or choose another directory with --data-dir.',
  },
  STORE_DAMAGED: {
    what: 'The store in the data directory is not what was written: a file is missing, cut off, overwritten or of another program.',
    next: 'Restore the newest snapshot by the command that the message names. Without one, move the directory away: the next start makes an empty store.',
  },
  PORT_IN_USE: {
    what: 'Something else listens on the address and port.',
    next: 'Stop it, or choose another port with --port; 0 takes a free one.',
  },
  ADDRESS_UNAVAILABLE: {
    what: 'The address to listen on does not belong to this machine, or may not be used.',
    next: 'Check --bind-address; ports below 1024 need privileges.',
  },
  FILE_UNREADABLE: {
    what: 'A file that an option names cannot be read, or does not hold what the option needs.',
    next: 'Check the path, the permissions and the content of the file.',
  },
  FILE_UNWRITABLE: {
    what: 'A file that a command is to write cannot be written.',
    next: 'Check the path, the permissions and the room on the disk.',
  },
  STORE_UNREACHABLE: {
    what: 'The store does not answer.',
    next: 'Check that it runs, and the addresses and certificates of the --etcd options.',
  },
  API_SERVER_UNUSABLE: {
    what: 'The API server that an extension API server relies on does not answer, or refuses what is asked of it.',
    next: 'Check the kubeconfig, and the rights of its user: the ClusterRole system:auth-delegator and the Role extension-apiserver-authentication-reader.',
  },
  RESOURCE_UNUSABLE: {
    what: 'A resource that a command names is not there, or does not allow what the command does.',
    next: 'Compare the name with `kubectl api-resources`, and look at its CustomResourceDefinition; then run the command again.',
  },
  STOP_FAILED: {
    what: 'A part of the process did not stop in time, or failed to.',
    next: 'Nothing that was acknowledged is lost. Report the message if it comes again.',
  },
} as const;

export type OperatorErrorCode = keyof typeof operatorErrors;

/** An error for the person who runs the process: a stable code, what happened, and what to do next. */
export class OperatorError extends Error {
  readonly code: OperatorErrorCode;

  constructor(code: OperatorErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OperatorError';
    this.code = code;
  }

  /** What to do next. */
  get next(): string {
    return operatorErrors[this.code].next;
  }

  /** The lines for a terminal. */
  override toString(): string {
    return `${this.code}: ${this.message}\n  ${this.next}`;
  }
}
