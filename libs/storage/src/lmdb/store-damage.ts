/** Why the data file of a store must not be opened: damage, or content that is not of this version of Annex. */
export class StoreDamage extends Error {
  override readonly name = 'StoreDamage';
  /** What follows the name of the file. */
  readonly sentence: string;

  constructor(what: string, verdict: 'is damaged' | 'is not a store' = 'is damaged') {
    super(what);
    this.sentence = `${verdict}: ${what}`;
  }
}
