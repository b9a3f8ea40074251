/** The token kinds, named and ordered as in the grammar and in syntax errors. */
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

/** A token with its UTF-16 offset. */
export interface Token {
  readonly kind: TokenKind;
  readonly text: string;
  readonly offset: number;
}
