import { Type } from '@sinclair/typebox';
import type { JournalEntry } from '../contract/journal.js';
import type { Message } from '../contract/message.js';
import type { Span, SpanAttributes } from '../contract/span.js';
import { isBacklotError, type Problem } from '../errors.js';
import {
  patternField,
  compilePattern,
  PlaceSchema,
  type PatternSource,
  type PlaceSource,
} from '../patterns/pattern.js';
import { compilePlaceAt, type PlaceCondition } from '../patterns/place-conditions.js';
import { CompileBudget } from '../validation/compile-budget.js';
import { pointTo } from '../validation/pointer.js';
import { createValidator } from '../validation/validator.js';

const text = (description: string) => Type.Optional(patternField(description));
const attributes = (description: string) =>
  Type.Optional(Type.Record(Type.String(), PlaceSchema, { description }));

const TEXTS = {
  name: text('Its name.'),
  service: text('What made it: `service.name` of its resource.'),
  kind: text('`internal`, `server`, `client`, `producer` or `consumer`.'),
  status: text('`unset`, `ok` or `error`.'),
  message: text('Why it ended so.'),
  trace: text('The id of its trace.'),
  id: text('Its own id.'),
  parent: text('The id of the span that it is a part of.'),
};

/** Which spans are meant, in an expectation. */
export const SpanMatchSchema = Type.Object(
  {
    ...TEXTS,
    scope: text('The name of the library that made it.'),
    event: text('The name of something that happened during it.'),
    attributes: attributes('By name what attributes must be: patterns, or values.'),
    resource: attributes('The same of the attributes of what made it.'),
  },
  { additionalProperties: false, description: 'Spans of applications, which POST /v1/traces has taken.' },
);

type Given = Readonly<Partial<Record<keyof typeof TEXTS | 'scope' | 'event', PatternSource>>> & {
  readonly attributes?: Readonly<Record<string, PlaceSource>>;
  readonly resource?: Readonly<Record<string, PlaceSource>>;
};
type SpanTest = (span: Span, message: Message) => true | string;

/**
 * Makes ready what an expectation says of spans.
 *
 * @returns undefined when something is wrong with it, which `problems` takes
 */
export function compileSpanTest(
  given: unknown,
  at: string,
  problems: Problem[],
): ((entry: JournalEntry) => true | string) | undefined {
  const wrong = createValidator(SpanMatchSchema).check(given, at);
  problems.push(...wrong);
  if (wrong.length > 0) return undefined;
  const budget = new CompileBudget();
  const tests: SpanTest[] = [];
  const attempt = (path: string, make: () => SpanTest): void => {
    try {
      tests.push(make());
    } catch (thrown) {
      if (!isBacklotError(thrown)) throw thrown;
      problems.push({ path, message: thrown.message });
    }
  };
  for (const [name, source] of Object.entries(given as Given)) {
    const path = pointTo(at, name);
    if (name === 'attributes' || name === 'resource') {
      for (const [attribute, wanted] of Object.entries(source as Readonly<Record<string, PlaceSource>>))
        attempt(pointTo(path, attribute), () => attributeTest(name, attribute, wanted, budget));
    } else {
      attempt(path, () => textTest(name as keyof typeof TEXTS, source, budget));
    }
  }
  return ({ span, method, path, remote }) => {
    if (span === undefined) return 'it is no span';
    for (const test of tests) {
      const result = test(span, { method, path, remote });
      if (result !== true) return result;
    }
    return true;
  };
}

function textTest(
  name: keyof typeof TEXTS | 'scope' | 'event',
  source: PatternSource,
  budget: CompileBudget,
): SpanTest {
  const pattern = compilePattern(source, { budget });
  if (name === 'event')
    return ({ events = [] }, message) =>
      events.some((event) => pattern.test(event.name, message)) ||
      (events.length === 0 && pattern.test(undefined, message)) ||
      `event: got ${events.map((event) => event.name).join(', ') || 'none'}, want ${pattern.describe()}`;
  return (span, message) => {
    const value = name === 'scope' ? span.scope.name : span[name];
    return pattern.test(value, message) || pattern.reason(name, value, message);
  };
}

function attributeTest(
  name: 'attributes' | 'resource',
  attribute: string,
  wanted: PlaceSource,
  budget: CompileBudget,
): SpanTest {
  const label = `${name === 'attributes' ? 'attribute' : 'resource'} ${attribute}`;
  const settings = { caseInsensitive: false, budget, surroundings: undefined };
  // Names of attributes have dots that lead nowhere.
  const condition: PlaceCondition = compilePlaceAt(attribute, [attribute], wanted, label, settings);
  return (span, message) => {
    const values: SpanAttributes = span[name];
    const result = condition.test(values, message);
    return typeof result === 'function' ? result() : result === true || label;
  };
}
