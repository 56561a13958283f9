import type { Pattern, PatternSource } from '../patterns/pattern.js';
import type { PathPattern } from '../patterns/path-pattern.js';
import type { Regex } from '../patterns/regex.js';
import type { Template, ValueTemplate } from '../templates/template.js';
import type { CompiledWebhook, WebhookDefinition } from './webhook.js';

/** Where a value stands: a JSON pointer into the mock, such as `/response/body`. */
export type Pointer = string;

/**
 * Compiles the parts of a mock. A part that does not compile is noted as a problem at its place and replaced by a
 * harmless stand-in, so that one answer names every problem; core refuses the mock afterwards.
 */
export interface CompileTools {
  /** A pattern of the pattern language; absent matches anything. */
  pattern(source: PatternSource | undefined, at: Pointer, options?: { caseInsensitive?: boolean }): Pattern;
  /** A linear-time regular expression, without the `re:` start. */
  regex(source: string, at: Pointer): Regex;
  /** A path pattern. */
  path(source: string, at: Pointer): PathPattern;
  /** A text template. */
  template(source: string, at: Pointer, options?: { target?: 'json' | 'text' | 'auto' }): Template;
  /** A structured template: every string leaf is a template. */
  value(source: unknown, at: Pointer): ValueTemplate;
  /** A duration in milliseconds; absent is 0. */
  duration(source: string | undefined, at: Pointer): number;
  /** Webhook definitions. */
  webhooks(
    list: readonly WebhookDefinition[] | undefined,
    at: Pointer,
  ): readonly CompiledWebhook[] | undefined;
  /** Notes a problem: what was wrong, with the value, and what would be right. */
  problem(at: Pointer, message: string): void;
  /** Runs `make`, noting what it throws as a problem at this place; answers `instead` then. */
  attempt<T>(at: Pointer, instead: T, make: () => T): T;
}
