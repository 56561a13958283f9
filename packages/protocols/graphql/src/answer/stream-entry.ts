import {
  compileContent,
  invalid,
  pointTo,
  type CompileTools,
  type Delay,
  type Match,
  type Template,
} from '@backlot/core/plugin';
import type { GraphqlMock, StreamData } from '../schemas.js';

/** One entry of a stream, compiled. */
export interface StreamEntry {
  readonly data: Template;
  /** What is waited for before it. */
  readonly delay: Delay;
}

/** Compiles the stream of a mock. */
export function compileStream(
  stream: GraphqlMock['stream'],
  tools: CompileTools,
): readonly StreamEntry[] | undefined {
  return stream?.map(({ data, json, delay }, index) => {
    const at = pointTo('/stream', index);
    const template = compileContent({ text: data, json }, { text: 'data' }, tools, at, { target: 'json' });
    if (template.constant && !isJsonObject(template.source)) {
      tools.problem(
        json === undefined ? `${at}/data` : `${at}/json`,
        `${JSON.stringify(clip(template.source))} is not a JSON object; write the whole result, such as {"data": {"tick": 1}}`,
      );
    }
    return { data: template, delay: tools.delay(delay, `${at}/delay`) };
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
