import type { Match } from '../shared/match.js';
import type { Tree } from '../shared/trees.js';

/** A path of a mock. */
export type PathMatch =
  | { readonly is: 'any' }
  | { readonly is: 'plain'; readonly path: string }
  /** With names in braces, of which each stands for a segment or a part of one. */
  | { readonly is: 'names'; readonly path: string; readonly names: readonly string[] }
  | { readonly is: 'regex'; readonly regex: string };

/** A body of an answer. */
export type AnswerBody =
  | { readonly is: 'none' }
  | { readonly is: 'text'; readonly text: string; readonly isTemplate: boolean }
  | { readonly is: 'json'; readonly value: unknown; readonly isTemplate: boolean }
  | { readonly is: 'bytes'; readonly base64: string };

/** An answer of a mock. */
export interface HttpAnswer {
  readonly status: number;
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** Whether a header has tags. */
  readonly hasTemplates: boolean;
  /** The content type, without parameters and in lower case; empty for none. */
  readonly type: string;
  readonly body: AnswerBody;
  /** The rest of the answer: `delay`, `chunks`, `broken` and what else there is. */
  readonly more: Tree;
}

/** A mock of HTTP, or one of the ways in which it is asked. */
export interface HttpCase {
  readonly id: string;
  /** Undefined for any. */
  readonly method: string | undefined;
  readonly path: PathMatch;
  readonly query: readonly (readonly [name: string, match: Match])[];
  readonly headers: readonly (readonly [name: string, match: Match])[];
  readonly cookies: readonly (readonly [name: string, match: Match])[];
  readonly form: readonly (readonly [name: string, match: Match])[];
  readonly body: Match | undefined;
  readonly auth: Tree | undefined;
  /** Fields of the request that no other tool has. */
  readonly unsaid: readonly string[];
  /** One, or those of a sequence. */
  readonly answers: readonly HttpAnswer[];
  readonly mock: Tree;
}
