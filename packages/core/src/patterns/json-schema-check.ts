import { COST, type Check } from './check.js';
import { compileJsonSchema } from './json-schema.js';
import { jsonCheck } from './json-checks.js';
import type { PatternSettings } from './pattern-settings.js';

/** `json_schema`: JSON that a JSON Schema describes. */
export function jsonSchemaCheck(source: unknown, { budget }: PatternSettings): Check {
  const check = compileJsonSchema(source, budget);
  return jsonCheck(
    (value) => {
      const problem = check(value);
      if (problem === undefined) return undefined;
      return { steps: problem.steps.toReversed(), got: problem.got, want: problem.want };
    },
    'JSON as its schema says',
    COST.query,
  );
}
