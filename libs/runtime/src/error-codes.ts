/**
 * The errors that an operator can fix: one row per code. The codes are stable; `docs/reference/errors.md`
 * repeats this table, and a test compares the two.
 */
export const operatorErrors = {
  OPTION_UNKNOWN: {
    what: 'An option is unknown.',
    next: 'Run the command with --help for the list of options, and check the spelling.',
  },
  OPTION_VALUE_MISSING: {
    what: 'An option that requires a value has none.',
    next: 'Add the value after a space or an equals sign: --port 6443 or --port=6443.',
  },
  OPTION_VALUE_INVALID: {
    what: 'The value of an option, or of its environment variable, does not have the type of the option.',
    next: 'Compare the value with the description of the option in --help.',
  },
  OPTION_REQUIRED: {
    what: 'A required option is missing.',
    next: 'Set the option on the command line, or set its environment variable.',
  },
  OPTION_UNSUPPORTED: {
    what: 'A flag of kube-apiserver asks for something that Annex does not do.',
    next: 'Remove the flag. The message says why it cannot be ignored.',
  },
  OPTION_CONFLICT: {
    what: 'Options contradict each other, one requires another one, or a value is not supported.',
    next: 'Change the options that the message names.',
  },
  ARGUMENT_UNEXPECTED: {
    what: 'An argument on the command line belongs to no option.',
    next: 'Remove it, or join it to its option with an equals sign. Values with spaces need quotes.',
  },
  ARGUMENT_MISSING: {
    what: 'A command needs another argument.',
    next: 'Write the command as its usage line in the message shows.',
  },
  COMMAND_UNKNOWN: {
    what: 'The first word on the command line is no command.',
    next: 'Run `annex --help` for the list of commands.',
  },
  NODE_VERSION_UNSUPPORTED: {
    what: 'The Node that runs the process is older than the supported releases, or has a major version that Annex is not tested with.',
    next: 'Install a supported Node, for example the latest release of Node 24 from https://nodejs.org.',
  },
  SERVING_THREADS_UNSUPPORTED: {
    what: 'Several threads cannot listen on one port on this operating system.',
    next: 'Remove --serving-threads, or run the server on Linux.',
  },
  SERVING_THREAD_FAILED: {
    what: 'One of the threads of --serving-threads did not start, or ended. The process ends with it.',
    next: 'Read the message and the lines of the log with the number of the thread. A supervisor starts the process again.',
  },
  SCHEDULER_CONFIGURATION_INVALID: {
    what: 'The configuration of the scheduler cannot be used. The message is the one of kube-scheduler.',
    next: 'Correct the field that the message names in the file of --config, or the option.',
  },
  SCHEDULER_PLUGIN_INVALID: {
    what: 'A module that --plugin names cannot be loaded, or exports no plugin.',
    next: 'Check the path, which begins with ./ or /, run the module with node to see its errors, and export what definePlugin returns.',
  },
  LEADERSHIP_LOST: {
    what: 'A process could not renew its Lease: the API server did not respond in time, or another process leads.',
    next: 'Start it again, as containers and services are by their restart policy: it waits until it can lead.',
  },
  SCHEDULER_ENDED: {
    what: 'A scheduler without leader election was stopped. kube-scheduler ends with this error as well.',
    next: 'Nothing, if the end was requested. With leader election the exit code is 0.',
  },
  DATA_DIR_IN_USE: {
    what: 'Another process uses the data directory.',
    next: 'Stop that process, or choose another directory with --data-dir.',
  },
  DATA_DIR_UNUSABLE: {
    what: 'The data directory cannot be created, read or written, or contains other files.',
    next: 'Check the path and its permissions, or choose another directory with --data-dir.',
  },
  STORE_DAMAGED: {
    what: 'The store in the data directory is damaged: a file is missing, truncated, overwritten or of another program.',
    next: 'Restore the newest snapshot with the command in the message. Without a snapshot, move the directory away: the next start creates an empty store.',
  },
  STORE_NOT_MIGRATED: {
    what: 'The store has the keys of an earlier version, and an object cannot be moved to its new key.',
    next: 'Check --encryption-provider-config: it must contain the keys that the object is encrypted with. Objects that were moved stay readable.',
  },
  STORE_MISSING: {
    what: 'The data directory contains no store.',
    next: 'Check --data-dir or --store-dir. The first start of `annex up` creates the store.',
  },
  PKI_UNUSABLE: {
    what: 'A key or certificate of the data directory is damaged, expired, or does not belong to the others.',
    next: 'Restore the file. Or stop Annex and remove the directory pki: the next start creates new keys, and clients need the new kubeconfig.',
  },
  PORT_IN_USE: {
    what: 'Another process listens on the address and port.',
    next: 'Stop it, or choose another port with --port; 0 selects a free one.',
  },
  ADDRESS_UNAVAILABLE: {
    what: 'The address to listen on does not belong to this machine, or must not be used.',
    next: 'Check --bind-address; ports below 1024 need privileges.',
  },
  FILE_UNREADABLE: {
    what: 'A file that an option names cannot be read, or does not contain what the option requires.',
    next: 'Check the path, the permissions and the content of the file.',
  },
  FILE_UNWRITABLE: {
    what: 'An output file of a command cannot be written.',
    next: 'Check the path, the permissions and the free space on the disk.',
  },
  DISK_FULL: {
    what: 'No space is left on the disk of a file, or of the data directory.',
    next: 'Free space on the disk, or choose a directory on another one, and start again.',
  },
  STORE_UNREACHABLE: {
    what: 'The store does not respond.',
    next: 'Check that it runs, and the addresses and certificates of the --etcd options.',
  },
  API_SERVER_UNUSABLE: {
    what: 'The API server that an extension API server relies on does not respond, or refuses a request.',
    next: 'Check the kubeconfig, and the permissions of its user: the ClusterRole system:auth-delegator and the Role extension-apiserver-authentication-reader.',
  },
  KUBECONFIG_UNUSABLE: {
    what: 'The kubeconfig cannot be read, or lacks what a client needs.',
    next: 'Name the right file with --kubeconfig or KUBECONFIG. `annex up` writes one to admin.kubeconfig in its data directory.',
  },
  SERVER_UNREACHABLE: {
    what: 'The server of the kubeconfig or of a URL does not respond.',
    next: 'Check that it runs, and the address and the CA in the kubeconfig or on the command line.',
  },
  REQUEST_FAILED: {
    what: 'The server responded with an error.',
    next: 'Check the name and the permissions of the user; `annex trace --refused --last` shows the decisions about the request.',
  },
  TRACE_MISSING: {
    what: 'The server remembers no request that matches the options of `annex trace`.',
    next: 'Send the request again. --remembered-traces of the server is the number of requests that it remembers.',
  },
  RESOURCE_UNUSABLE: {
    what: 'The resource of a command does not exist, or does not support the command.',
    next: 'Compare the name with `kubectl api-resources`, and look at its CustomResourceDefinition; then run the command again.',
  },
  STOP_FAILED: {
    what: 'A part of the process did not stop in time, or failed to.',
    next: 'No acknowledged write is lost. Report the message if it appears again.',
  },
  UNEXPECTED_ERROR: {
    what: 'An error that Annex does not handle.',
    next: 'Report it with the stack.',
  },
} as const;

export type OperatorErrorCode = keyof typeof operatorErrors;

/** An error that the operator can fix: a stable code, the cause, and the next step. */
export class OperatorError extends Error {
  readonly code: OperatorErrorCode;

  constructor(code: OperatorErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'OperatorError';
    this.code = code;
  }

  /** The next step for the operator. */
  get next(): string {
    return operatorErrors[this.code].next;
  }

  /** Formats the error for a terminal. */
  override toString(): string {
    return `${this.code}: ${this.message}\n  ${this.next}`;
  }
}
