/**
 * The reason why the data file of a store must not be opened: damage, or the format of another version of
 * Annex.
 */
export class StoreDamage extends Error {
  override readonly name = 'StoreDamage';
  /** The rest of the sentence after the file name. */
  readonly sentence: string;

  constructor(what: string, verdict: 'is damaged' | 'is not a store' = 'is damaged') {
    super(what);
    this.sentence = `${verdict}: ${what}`;
  }
}
