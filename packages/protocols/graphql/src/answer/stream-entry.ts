import { invalid, type CompileTools, type Match, type Template } from '@backlot/core/plugin';
import type { GraphqlMock, StreamData } from '../schemas.js';

/** One entry of a stream, compiled. */
export interface StreamEntry {
  readonly data: Template;
  /** Milliseconds to wait before it. */
  readonly delay: number;
}

/** Compiles the stream of a mock. */
export function compileStream(
  stream: GraphqlMock['stream'],
  tools: CompileTools,
): readonly StreamEntry[] | undefined {
  return stream?.map(({ data, delay }, index) => {
    const template = tools.template(data, `/stream/${index}/data`, { target: 'json' });
    if (template.constant && !isJsonObject(data)) {
      tools.problem(
        `/stream/${index}/data`,
        `${JSON.stringify(clip(data))} is not a JSON object; write the whole result, such as {"data": {"tick": 1}}`,
      );
    }
    return { data: template, delay: tools.duration(delay, `/stream/${index}/delay`) };
  });
}

/**
 * The text of an entry as it goes out.
 *
 * @param index - which one, from 0
 * @throws BacklotError `invalid` when it is no JSON object
 */
export function renderEntry(entry: StreamEntry, index: number, match: Match): string {
  const text = match.render(entry.data);
  if (entry.data.constant || isJsonObject(text)) return text;
  throw invalid(
    `stream entry ${index} of mock "${match.mock.id}" does not render to a JSON object: ${JSON.stringify(clip(text))}`,
  );
}

/**
 * The text of what is pushed.
 *
 * @throws BacklotError `invalid` when it is no object
 */
export function pushedText(data: StreamData): string {
  if (typeof data !== 'string') return JSON.stringify(data);
  if (isJsonObject(data)) return data;
  throw invalid(
    `data ${JSON.stringify(clip(data))} is not a JSON object; give the whole result, such as {"data": {"tick": 1}}`,
  );
}

function isJsonObject(text: string): boolean {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}

function clip(text: string): string {
  return text.length <= 100 ? text : `${text.slice(0, 100)}...`;
}
