/** Returns the row of a TCP port. */
export const portOption = (flag: string, value: number, help: string) =>
  ({ flag, type: 'int', default: value, min: 0, max: 65_535, help }) as const;
