import type { LongestTurns } from './turn-server.ts';

/** The longest turns of one request, or of one step of a stage. */
export interface TurnResult {
  shape: string;
  row: string;
  status: number;
  /** CPU time of the longest turn in milliseconds, in each repetition. */
  ms: number[];
  /** For how long V8 collected garbage in that turn, in milliseconds of wall time. */
  gcMs: number[];
  /** The longest turn without such time. */
  ownMs: number[];
  /** How many turns of a stage were above the limit without it. */
  above?: number[];
  /** Numbers of the profiles. */
  reports: number[];
  /** Requests whose status was unexpected, also of those before and after the row: it may measure something else. */
  unexpected: string[];
}

/** Returns the result of a row that was not measured yet. */
export const newResult = (shape: string, row: string): TurnResult => ({
  shape,
  row,
  status: 0,
  ms: [],
  gcMs: [],
  ownMs: [],
  reports: [],
  unexpected: [],
});

/** Adds a repetition. */
export function addTurns(result: TurnResult, { ms, gcMs, ownMs, aboveLimit, report }: LongestTurns): void {
  result.ms.push(ms);
  result.gcMs.push(gcMs);
  result.ownMs.push(ownMs);
  result.above?.push(aboveLimit);
  result.reports.push(report);
}
