import { GraphQLError, Lexer, Source, TokenKind } from 'graphql';

/** How deep braces, brackets and parentheses may be nested: the parser calls itself once per level. */
export const MAX_NESTING = 200;

/**
 * How deep a text is nested, or a bound above it that is at most {@link MAX_NESTING}.
 *
 * @throws GraphQLError when it has more tokens than that, or does not lex
 */
export function nestingOf(text: string, maxTokens: number): number {
  const count = countOpening(text);
  if (count <= MAX_NESTING) return count;
  const lexer = new Lexer(new Source(text));
  let depth = 0;
  for (let tokens = 0; tokens <= maxTokens; tokens += 1) {
    const { kind } = lexer.advance();
    if (kind === TokenKind.EOF) return MAX_NESTING;
    if (kind === TokenKind.BRACE_L || kind === TokenKind.BRACKET_L || kind === TokenKind.PAREN_L) depth += 1;
    else if (kind === TokenKind.BRACE_R || kind === TokenKind.BRACKET_R || kind === TokenKind.PAREN_R)
      depth -= 1;
    if (depth > MAX_NESTING) return depth;
  }
  throw new GraphQLError(`the document has more than ${maxTokens} tokens`);
}

/** How many opening brackets there are, those in texts and comments included; most documents have few. */
function countOpening(text: string): number {
  let count = 0;
  for (let index = 0; index < text.length; index += 1) {
    const code = text.charCodeAt(index);
    if (code === 123 || code === 91 || code === 40) count += 1;
  }
  return count;
}
