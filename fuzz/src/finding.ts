/** What a target must not do, whatever its input is. */
export type FindingKind =
  /** It throws an error that it does not expect. */
  | 'error'
  /** Its outcome differs from the one of Go. */
  | 'difference'
  /** It takes more than a second of processor time. */
  | 'slow'
  /** It does not return. */
  | 'stall'
  /** Its time grows faster than its input. */
  | 'growth'
  /** It keeps memory. */
  | 'memory'
  /** It uses up the memory of its thread, or ends it otherwise. */
  | 'crash';

/** An input that a target mishandles. */
export interface Finding {
  kind: FindingKind;
  input: Uint8Array;
  /** What happened: the error with its stack, both outcomes, or the times. */
  detail: string;
  /** Go's outcome, where that is what the input is about. */
  expected?: string;
}

/** Findings with one key have one cause, as far as can be told. */
export function findingKey({ kind, detail }: Finding): string {
  if (kind === 'memory' || kind === 'growth' || kind === 'slow') return kind;
  if (kind === 'error') {
    const [message = '', ...stack] = detail.split('\n');
    const at = stack.find((line) => line.includes('at ')) ?? '';
    return `${kind} ${message.split(':', 1)[0]} ${at.trim()}`;
  }
  // Outcomes contain parts of the input.
  return `${kind} ${detail
    .replace(/"[^"]*"/g, '""')
    .replace(/[0-9]+/g, '0')
    .slice(0, 200)}`;
}
