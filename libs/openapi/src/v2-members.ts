import type { Piece } from './v2-document.ts';
import type { BySection, V2Section } from './v2.ts';

/** An encoded member, or several members that no other document has. */
export type MemberPiece = { piece: Piece } & ({ name: string } | { names(): string[] });

/** The encoded members that a document adds to the merged document. */
export type MemberPieces = BySection<MemberPiece[]>;

export const emptyPieces = (): MemberPieces => ({ paths: [], definitions: [], parameters: [] });

/** Returns the names of the members of a section. */
export const namesIn = (pieces: MemberPieces, section: V2Section): string[] =>
  pieces[section].flatMap((one) => ('name' in one ? one.name : one.names()));
