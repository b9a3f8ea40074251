/** The kinds of defects that a target can have. */
export type FindingKind =
  /** It throws an unexpected error. */
  | 'error'
  /** Its outcome differs from the one of Go. */
  | 'difference'
  /** It uses more than a second of CPU time. */
  | 'slow'
  /** It does not return. */
  | 'stall'
  /** Its time grows faster than linearly with its input. */
  | 'growth'
  /** It does not release memory. */
  | 'memory'
  /** It exhausts the memory of its thread, or ends it for another reason. */
  | 'crash';

/** An input that a target handles incorrectly. */
export interface Finding {
  kind: FindingKind;
  input: Uint8Array;
  /** The error with its stack, both outcomes, or the times. */
  detail: string;
  /** Go's outcome, if the input is about a difference. */
  expected?: string;
}

/** Returns a key that findings of the same cause share, as far as can be determined. */
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
