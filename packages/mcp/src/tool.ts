import type { AgentApi } from './api.js';

/** The arguments of a tool, which its schema has checked. */
export type ToolInput = Readonly<Record<string, unknown>>;

/** A tool: what agents see of it, and what it does. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  /** By name; those in `required` must be given. */
  readonly properties: Readonly<Record<string, object>>;
  readonly required?: readonly string[];
  /** Whether it changes nothing. */
  readonly readOnly?: boolean;
  /** @returns the text of the answer */
  readonly run: (api: AgentApi, input: ToolInput) => Promise<string>;
}

/** A path with its parts encoded. */
export function path(parts: TemplateStringsArray, ...values: readonly unknown[]): string {
  return parts.reduce((text, part, index) => text + encodeURIComponent(String(values[index - 1])) + part);
}
