import {
  jsonText,
  parseJsonPath,
  pointTo,
  readJsonPath,
  type CompileTools,
  type PatternSource,
  type TestResult,
} from '@backlot/core/plugin';
import type { GraphqlMessage } from '../message.js';

/** What one place in the variables must hold. */
export interface VariableCondition {
  readonly place: string;
  readonly steps: readonly string[];
  /** The only text that can match, for the index. */
  readonly exact: string | undefined;
  test(message: GraphqlMessage): TestResult;
}

/** Compiles the conditions on variables. */
export function compileVariables(
  patterns: Readonly<Record<string, PatternSource>> | undefined,
  tools: CompileTools,
): readonly VariableCondition[] {
  return Object.entries(patterns ?? {}).flatMap(([place, source]) => {
    const pattern = tools.pattern(source, pointTo('/variables', place));
    if (pattern.any) return [];
    const steps = parseJsonPath(place);
    const { exact } = pattern;
    const isPlain = typeof source === 'string' && exact !== undefined;
    const test = (message: GraphqlMessage): TestResult => {
      const value = readVariable(message, steps);
      const fits = isPlain ? value === exact : pattern.test(value);
      return fits || (() => pattern.reason(`variable ${place}`, value));
    };
    return [{ place, steps, exact, test }];
  });
}

/** How a place in the variables compares with a pattern. */
export function readVariable(message: GraphqlMessage, steps: readonly string[]): string | undefined {
  return message.variables === undefined ? undefined : jsonText(readJsonPath(message.variables, steps));
}
