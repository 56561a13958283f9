import {
  jsonText,
  readJsonPath,
  type CompileTools,
  type PlaceSource,
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
  patterns: Readonly<Record<string, PlaceSource>> | undefined,
  tools: CompileTools,
): readonly VariableCondition[] {
  return tools
    .places(patterns, '/variables', { label: 'variable' })
    .filter(({ any }) => !any)
    .map((condition) => ({
      place: condition.place,
      steps: condition.steps,
      exact: condition.exact,
      test: (message) => condition.test(message.variables, message),
    }));
}

/** How a place in the variables compares with a pattern. */
export function readVariable(message: GraphqlMessage, steps: readonly string[]): string | undefined {
  return message.variables === undefined ? undefined : jsonText(readJsonPath(message.variables, steps));
}
