import type { PiecedText } from '../contract/context.js';

/** Whether a long text passes that is made a piece at a time; yields between two pieces. */
export type PiecesTest = (text: PiecedText) => Generator<undefined, boolean>;

/** The pieces of a text, with a pause behind each. */
export function* eachPiece(text: PiecedText, take: (piece: string) => boolean): Generator<undefined, void> {
  for (const piece of text.pieces()) {
    // What takes them may have seen enough.
    if (take(piece)) return;
    yield;
  }
}

/** The beginning of a text, of so many characters. */
export function* startOfPieces(text: PiecedText, length: number): Generator<undefined, string> {
  const made: string[] = [];
  let left = length;
  yield* eachPiece(text, (piece) => {
    made.push(piece.length > left ? piece.slice(0, left) : piece);
    left -= piece.length;
    return left <= 0;
  });
  return made.join('');
}

/** Whether a text is another one. */
export function* equalsPieces(text: PiecedText, wanted: string): Generator<undefined, boolean> {
  if (text.length !== wanted.length) return false;
  let at = 0;
  let isEqual = true;
  yield* eachPiece(text, (piece) => {
    isEqual = wanted.startsWith(piece, at);
    at += piece.length;
    return !isEqual;
  });
  return isEqual;
}

/** Whether a text ends with another one, which is short. */
export function* endsInPieces(text: PiecedText, wanted: string): Generator<undefined, boolean> {
  if (text.length < wanted.length) return false;
  const from = text.length - wanted.length;
  const end: string[] = [];
  let at = 0;
  yield* eachPiece(text, (piece) => {
    if (at + piece.length > from) end.push(at >= from ? piece : piece.slice(from - at));
    at += piece.length;
    return false;
  });
  return end.join('') === wanted;
}
