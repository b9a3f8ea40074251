const canary = (name, refused, source) => ({ name, refused, source: `${source}\n` });

/** Names, and whether the rule must reject them. */
export const plainNameCanaries = [
  canary('of a function', true, 'export const judgeAnswer = 1;'),
  canary('of a parameter', true, 'export const f = (asked: string) => asked;'),
  canary('of a member', true, 'export interface A { readonly complaints: string[] }'),
  canary('of a private field', true, 'export class A { #told = 1; get told2() { return this.#told; } }'),
  canary('of a type', true, 'export type Mistake = string;'),
  canary('that contains a word by chance', false, 'export const masked = 1; export const stolde = 2;'),
  canary(
    'of a member of another package',
    false,
    "import { x } from 'node:fs'; export const f = () => x.answer;",
  ),
];
