import type { Pattern, PatternSource } from '../patterns/pattern.js';
import type { PathPattern } from '../patterns/path-pattern.js';
import type { Regex } from '../patterns/regex.js';
import type { Template, ValueTemplate } from '../templates/template.js';
import type { CompiledWebhook, WebhookDefinition } from './webhook.js';

/** Where a value stands: a JSON pointer into the mock, such as `/response/body`. */
export type Pointer = string;

/**
 * Compiles the parts of a mock. A part that does not compile is noted as a problem, with its place, and a stand-in is
 * given in its place, so that `compile` goes on and one answer names every problem. Core refuses a mock with problems.
 */
export interface CompileTools {
  /** Compiles a pattern of the pattern language; when the source is absent, one that matches any text. */
  pattern(source: PatternSource | undefined, at: Pointer, options?: { caseInsensitive?: boolean }): Pattern;
  /** Compiles a regular expression, which is matched in linear time; the source has no `re:` in front. */
  regex(source: string, at: Pointer): Regex;
  /** Compiles a path pattern, such as `/users/{id}`. */
  path(source: string, at: Pointer): PathPattern;
  /**
   * Compiles a text template.
   *
   * @param options - `target`: `json` escapes values for JSON, `text` does not, `auto` (the default) does when the
   * template makes JSON
   */
  template(source: string, at: Pointer, options?: { target?: 'json' | 'text' | 'auto' }): Template;
  /** Compiles a structured template: a JSON value whose texts are templates. */
  value(source: unknown, at: Pointer): ValueTemplate;
  /** The milliseconds of a duration such as `250ms`; 0 when the source is absent. */
  duration(source: string | undefined, at: Pointer): number;
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
