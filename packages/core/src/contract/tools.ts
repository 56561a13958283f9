import type { Pattern, PatternSource, PlaceSource } from '../patterns/pattern.js';
import type { PlaceCondition } from '../patterns/place-conditions.js';
import type { PathPattern } from '../patterns/path-pattern.js';
import type { Regex } from '../patterns/regex.js';
import type { Template, ValueTemplate } from '../templates/template.js';
import type { Delay } from '../time/delay.js';
import type { DelaySource } from '../time/delay-schema.js';
import type { Verified } from '../keys/verified.js';
import type { CompiledWebhook, WebhookDefinition } from './webhook.js';

/** Verifies JSON Web Tokens. */
export interface TokenVerifier {
  /**
   * The claims of a token whose signature is good, and whose `exp` and `nbf` (RFC 7519, section 4.1) include now; or why it
   * does not count, in words that continue "the token ...".
   *
   * @param leeway - milliseconds by which the clocks may differ
   */
  verify(token: string, leeway?: number): Verified;
}

/** Where a value stands: a JSON pointer into the mock, such as `/response/body`. */
export type Pointer = string;

/**
 * Compiles the parts of a mock. A part that does not compile is noted as a problem, with its place, and a stand-in is
 * given in its place, so that `compile` goes on and one answer names every problem. Core refuses a mock with problems.
 */
export interface CompileTools {
  /** Compiles a pattern of the pattern language; when the source is absent, one that matches any text. */
  pattern(source: PatternSource | undefined, at: Pointer, options?: { caseInsensitive?: boolean }): Pattern;
  /**
   * Compiles what a value of JSON must hold: patterns by place, and values nested as in the JSON itself.
   *
   * @param at - where the patterns stand in the mock
   * @param options - `label`: what reasons call the value, such as `variable`
   */
  places(
    source: Readonly<Record<string, PlaceSource>> | undefined,
    at: Pointer,
    options: { readonly label: string },
  ): readonly PlaceCondition[];
  /** Compiles a regular expression, which is matched in linear time; the source has no `re:` in front. */
  regex(source: string, at: Pointer): Regex;
  /** Compiles a path pattern, such as `/users/{id}`. */
  path(source: string, at: Pointer): PathPattern;
  /**
   * Compiles a text template.
   *
   * @param options - `target`: `json` and `xml` escape values for JSON and XML, `text` does not, `auto` (the default)
   * escapes for JSON when the template makes JSON; `contentType`: what the mock says the text is, in place of a target:
   * JSON and XML types escape, other types of text do not, and without one the text itself decides
   */
  template(
    source: string,
    at: Pointer,
    options?: { target?: 'json' | 'xml' | 'text' | 'auto'; contentType?: string | undefined },
  ): Template;
  /**
   * Compiles a structured template: a JSON value whose texts are templates.
   *
   * @param options - `bytes`: whether a text that is one tag becomes a `Uint8Array` where that tag inserts bytes that
   * are no text, such as `request.raw_body`; else it becomes their text
   */
  value(source: unknown, at: Pointer, options?: { bytes?: boolean }): ValueTemplate;
  /** The milliseconds of a duration such as `250ms`; 0 when the source is absent. */
  duration(source: string | undefined, at: Pointer): number;
  /** Compiles a delay, which `delayOf` of a match rolls; 0 when the source is absent. */
  delay(source: DelaySource | undefined, at: Pointer): Delay;
  /**
   * What verifies JSON Web Tokens with a key of the configuration, by the virtual clock.
   *
   * @param name - the name of the key; when there is none of that name it is a problem
   */
  tokens(name: string, at: Pointer): TokenVerifier;
  /** The rows of a collection as they are whenever they are asked for; none while it is not there. */
  rows(collection: string): () => Iterable<Readonly<Record<string, unknown>>>;
  /** Compiles webhook definitions; `undefined` when there are none. */
  webhooks(
    list: readonly WebhookDefinition[] | undefined,
    at: Pointer,
  ): readonly CompiledWebhook[] | undefined;
  /** Notes a problem: what was wrong, with the value, and what would be right. */
  problem(at: Pointer, message: string): void;
  /**
   * Gives what `make` gives. When it throws, the message is noted as a problem at this place and `instead` is given.
   */
  attempt<T>(at: Pointer, instead: T, make: () => T): T;
}
