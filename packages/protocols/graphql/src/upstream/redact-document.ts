import { Lexer, Source, TokenKind } from 'graphql';
import { runAtOnce } from '@backlot/core/plugin';
import { isSecretName, REDACTED, redactStringSteps } from '@backlot/kit/upstream';

/** Tokens that stand between the name of a variable and its default value, and are a part of its type. */
const OF_TYPE: ReadonlySet<string> = new Set([
  TokenKind.BRACKET_L,
  TokenKind.BRACKET_R,
  TokenKind.BANG,
  TokenKind.NAME,
]);
const OPENING: ReadonlySet<string> = new Set([TokenKind.BRACKET_L, TokenKind.BRACE_L]);
const CLOSING: ReadonlySet<string> = new Set([TokenKind.BRACKET_R, TokenKind.BRACE_R]);
const VALUES: ReadonlySet<string> = new Set([
  TokenKind.STRING,
  TokenKind.BLOCK_STRING,
  TokenKind.INT,
  TokenKind.FLOAT,
]);
const REDACTED_TEXT = JSON.stringify(REDACTED);

/** A piece of a document. */
export interface DocumentPiece {
  readonly text: string;
  /** Whether it is a value that is a secret, or has one in it; its text is then what stands in its place. */
  readonly isSecret: boolean;
}

/**
 * Takes a document apart where it has secrets: values of arguments, of fields of input objects and of variables with a secret name,
 * and texts with the shape of one.
 *
 * @throws GraphQLError when it has characters that no document has
 */
export function secretPieces(document: string): readonly DocumentPiece[] {
  const lexer = new Lexer(new Source(document));
  const pieces: DocumentPiece[] = [];
  let from = 0;
  /** How deep the value of a secret name goes on; 0 where none does. */
  let depth = 0;
  let isExpected = false;
  let isType = false;
  let last = '';
  let beforeLast: TokenKind = TokenKind.SOF;
  for (let token = lexer.advance(); token.kind !== TokenKind.EOF; token = lexer.advance()) {
    const { kind, value = '', start, end } = token;
    if (VALUES.has(kind) && value !== '') {
      const isSecret = isExpected || depth > 0;
      const isText = kind === TokenKind.STRING || kind === TokenKind.BLOCK_STRING;
      const redacted = isSecret || !isText ? REDACTED : runAtOnce(redactStringSteps(value));
      if (isSecret || (isText && redacted !== value)) {
        pieces.push({ text: document.slice(from, start), isSecret: false });
        pieces.push({ text: isSecret ? REDACTED_TEXT : JSON.stringify(redacted), isSecret: true });
        from = end;
      }
    }
    if (OPENING.has(kind) && (depth > 0 || (isExpected && !isType))) depth += 1;
    else if (CLOSING.has(kind) && depth > 0) depth -= 1;
    if (kind === TokenKind.COLON && last !== '') {
      isExpected = isSecretName(last);
      isType = beforeLast === TokenKind.DOLLAR;
    } else if (kind === TokenKind.EQUALS) isType = false;
    else if (!(isType && OF_TYPE.has(kind))) {
      isExpected = false;
      isType = false;
    }
    if (kind === TokenKind.NAME) last = value;
    else {
      last = '';
      beforeLast = kind;
    }
  }
  pieces.push({ text: document.slice(from), isSecret: false });
  return pieces;
}

/** A document without its secrets; what is no document is looked through as a text. */
export function redactDocument(document: string): string {
  try {
    return secretPieces(document)
      .map(({ text }) => text)
      .join('');
  } catch {
    return runAtOnce(redactStringSteps(document));
  }
}
