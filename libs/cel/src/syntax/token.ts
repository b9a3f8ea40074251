/** The kinds of tokens, as the grammar and the texts of syntax errors name and order them. */
export const tokenKinds = [
  '<EOF>',
  "'=='",
  "'!='",
  "'in'",
  "'<'",
  "'<='",
  "'>='",
  "'>'",
  "'&&'",
  "'||'",
  "'['",
  "']'",
  "'{'",
  "'}'",
  "'('",
  "')'",
  "'.'",
  "','",
  "'-'",
  "'!'",
  "'?'",
  "':'",
  "'+'",
  "'*'",
  "'/'",
  "'%'",
  "'true'",
  "'false'",
  "'null'",
  'NUM_FLOAT',
  'NUM_INT',
  'NUM_UINT',
  'STRING',
  'BYTES',
  'IDENTIFIER',
  'ESC_IDENTIFIER',
] as const;

export type TokenKind = (typeof tokenKinds)[number];

/** A token, and where it is in the text. */
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly offset: number;
}
