import type { CompileTools, Pointer, Template } from '@backlot/core/plugin';
import { cleanHeaderValue, isHeaderName, isHeaderValue, type AnswerHeaders } from '@backlot/kit/http';
import { pointer } from '../match/conditions.js';

/** Header fields as a mock holds them. */
export type HeaderDefinitions = Readonly<Record<string, string | readonly string[]>>;

interface Field {
  readonly name: string;
  readonly isList: boolean;
  /** Ready to send when nothing is rendered. */
  readonly fixed: string | readonly string[] | undefined;
  readonly templates: readonly Template[];
}

/** The header fields of one answer, compiled. */
export interface CompiledHeaders {
  /** Whether no value has a tag. */
  readonly constant: boolean;
  /** The values given for a name, in lower case, as they stand in the mock. */
  given(lowerName: string): readonly string[] | undefined;
  /** Writes them, without those named in `except` (lower case). */
  write(into: AnswerHeaders, render: (template: Template) => string, except: ReadonlySet<string>): void;
}

/** Compiles header fields; names and values that cannot be sent are problems. */
export function compileHeaders(
  definitions: HeaderDefinitions | undefined,
  tools: CompileTools,
  at: Pointer,
): CompiledHeaders {
  const fields: Field[] = [];
  const given = new Map<string, readonly string[]>();
  for (const [name, value] of Object.entries(definitions ?? {})) {
    const place = pointer(at, name);
    const values = typeof value === 'string' ? [value] : value;
    const lower = name.toLowerCase();
    if (!isHeaderName(name)) {
      tools.problem(place, `${JSON.stringify(name)} is not a header name; use letters, digits and hyphens`);
      continue;
    }
    if (given.has(lower)) {
      tools.problem(
        place,
        `header ${JSON.stringify(name)} is there twice with different case; give a list of values instead`,
      );
      continue;
    }
    given.set(lower, values);
    fields.push(compileField(name, values, typeof value !== 'string', tools, place));
  }
  return {
    constant: fields.every(({ fixed }) => fixed !== undefined),
    given: (lowerName) => given.get(lowerName),
    write(into, render, except) {
      for (const { name, isList, fixed, templates } of fields) {
        if (except.has(name.toLowerCase())) continue;
        const values = fixed ?? templates.map((template) => cleanHeaderValue(render(template)));
        into[name] = isList || typeof values === 'string' ? values : (values[0] ?? '');
      }
    },
  };
}

function compileField(
  name: string,
  values: readonly string[],
  isList: boolean,
  tools: CompileTools,
  at: Pointer,
): Field {
  const templates = values.map((value) => {
    const template = tools.template(value, at, { target: 'text' });
    if (!isHeaderValue(value)) {
      tools.problem(
        at,
        `the value ${JSON.stringify(value)} of header ${name} holds a line break or another control character`,
      );
    }
    return template;
  });
  const isConstant = templates.every(({ constant }) => constant);
  const cleaned = values.map(cleanHeaderValue);
  return { name, isList, fixed: isConstant ? (isList ? cleaned : (cleaned[0] ?? '')) : undefined, templates };
}
