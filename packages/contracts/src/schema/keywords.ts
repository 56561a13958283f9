import { _, type Ajv2020, type CodeKeywordDefinition } from 'ajv/dist/2020.js';
import { COST, COST_OF_LIST, COST_OF_MEMBERS, COST_OF_TEXT } from './costs.js';
import type { Meter } from './meter.js';

/** Keywords of the library's own before which costs are counted: the first of their groups. */
const FIRST = { any: 'not', string: 'maxLength', array: 'maxItems', object: 'maxProperties' } as const;

/** Adds what counts the costs of checks, and takes the places of keywords that compare each value with each other one. */
export function addKeywords(ajv: Ajv2020, meter: Meter): void {
  const counting = (
    keyword: string,
    more: Pick<CodeKeywordDefinition, 'type' | 'before'>,
    spend: (cost: number, data: never) => void,
  ): void => {
    ajv.addKeyword({
      keyword,
      schemaType: 'number',
      ...more,
      code({ gen, data, schema }) {
        gen.code(_`${gen.scopeValue('obj', { ref: spend })}(${schema as number}, ${data})`);
      },
    });
  };
  counting(COST, { before: FIRST.any }, (cost) => meter.spend(cost));
  counting(COST_OF_TEXT, { type: 'string', before: FIRST.string }, (cost, text: string) =>
    meter.spend(cost * (text.length + 1)),
  );
  counting(COST_OF_LIST, { type: 'array', before: FIRST.array }, (cost, list: readonly unknown[]) =>
    meter.spend(cost * list.length),
  );
  counting(COST_OF_MEMBERS, { type: 'object', before: FIRST.object }, (cost, value: object) =>
    meter.spend(cost * Object.keys(value).length),
  );
  ajv.removeKeyword('enum');
  ajv.addKeyword({
    keyword: 'enum',
    schemaType: 'array',
    before: FIRST.any,
    error: {
      message: 'must be equal to one of the allowed values',
      params: ({ schemaCode }) => _`{allowedValues: ${schemaCode}}`,
    },
    code(context) {
      const isOne = oneOf(context.schema as readonly unknown[], meter);
      context.pass(_`${context.gen.scopeValue('obj', { ref: isOne })}(${context.data})`);
    },
  });
  ajv.removeKeyword('uniqueItems');
  ajv.addKeyword({
    keyword: 'uniqueItems',
    type: 'array',
    schemaType: 'boolean',
    errors: false,
    error: { message: 'must not hold the same twice' },
    validate: (wanted: boolean, list: readonly unknown[]) => !wanted || isUnique(list, meter),
  });
}

function oneOf(values: readonly unknown[], meter: Meter): (value: unknown) => boolean {
  const plain = new Set(values.filter((value) => !isNested(value)));
  const nested = new Set(values.filter(isNested).map((value) => textOf(value, undefined)));
  return (value) =>
    isNested(value) ? nested.size > 0 && nested.has(textOf(value, meter)) : plain.has(value);
}

function isUnique(list: readonly unknown[], meter: Meter): boolean {
  meter.spend(list.length * PLAIN);
  const plain = new Set<unknown>();
  const nested = new Set<string>();
  for (const value of list) {
    if (isNested(value)) nested.add(textOf(value, meter));
    else plain.add(value);
  }
  return plain.size + nested.size === list.length;
}

/** What a value costs in a set. */
const PLAIN = 5;
/** What each value costs within another, as a text. */
const WITHIN = 10;

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/** A text that is the same for equal values, in whatever order their members stand. */
function textOf(value: unknown, meter: Meter | undefined): string {
  if (!isNested(value)) return JSON.stringify(value) ?? '';
  if (Array.isArray(value)) {
    meter?.spend((value.length + 1) * WITHIN);
    return `[${(value as unknown[]).map((each) => textOf(each, meter)).join(',')}]`;
  }
  const names = Object.keys(value).sort();
  meter?.spend((names.length + 1) * WITHIN);
  return `{${names.map((name) => `${JSON.stringify(name)}:${textOf((value as Record<string, unknown>)[name], meter)}`).join(',')}}`;
}
