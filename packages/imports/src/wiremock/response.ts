import { isUtf8 } from 'node:buffer';
import type { ImportFile, ImportNotes } from '@backlot/core/plugin';
import { headersOf, literalBody, statusOf, typeOf, type AnswerBody } from '../shared/answer.js';
import { literal, literalJson } from '../shared/literal.js';
import { delayOf, isTree, listOf, textOf, treeOf, type Tree } from '@backlot/contracts';
import { translateTemplate } from '../handlebars/translate.js';
import { dialectOf } from './dialect.js';

/** What the answer of a stub is made with. */
export interface ResponseTools {
  readonly notes: ImportNotes;
  readonly place: string;
  /** Whether `request.path.name` is a name of the path. */
  readonly templateParams: boolean;
  readonly readFile: (name: string) => ImportFile | undefined;
}

const FAULTS: Readonly<Record<string, string>> = {
  EMPTY_RESPONSE: 'empty',
  MALFORMED_RESPONSE_CHUNK: 'truncated',
  RANDOM_DATA_THEN_CLOSE: 'garbage',
  CONNECTION_RESET_BY_PEER: 'reset',
};

/** The answer of a stub, as fields of a mock; `undefined` when a mock cannot give it. */
export function responseOf(given: unknown, tools: ResponseTools): Tree | undefined {
  const response = treeOf(given);
  const { notes, place } = tools;
  if (response['proxyBaseUrl'] !== undefined) {
    notes.refused(place, 'a stub that passes requests on to another server is left out');
    return undefined;
  }
  const isTemplate = listOf(response['transformers']).some((one) => one === 'response-template');
  const others = listOf(response['transformers']).filter((one) => one !== 'response-template');
  if (others.length > 0)
    notes.refused(place, `the transformer ${String(others[0]).slice(0, 100)} is not run`);
  const dialect = dialectOf(tools.templateParams);
  const text = (value: string): string =>
    isTemplate ? translateTemplate(value, dialect, notes, place) : literal(value);
  const headers = headersOf(
    Object.entries(treeOf(response['headers'])).flatMap(([name, value]) =>
      (Array.isArray(value) ? listOf(value) : [value]).map((one) => [name, text(textOf(one) ?? '')] as const),
    ),
  );
  const status = statusOf(response['status'] ?? 200);
  if (status === undefined) {
    notes.refused(place, `status ${String(response['status']).slice(0, 20)} cannot be answered by a mock`);
    return undefined;
  }
  const fault = textOf(response['fault']);
  const broken = fault === undefined ? undefined : FAULTS[fault];
  if (fault !== undefined && broken === undefined)
    notes.refused(place, `the fault ${fault.slice(0, 60)} is not known`);
  const dribble = treeOf(response['chunkedDribbleDelay']);
  const count = Number(dribble['numberOfChunks']);
  const body = bodyOf(response, typeOf(headers), text, isTemplate, tools);
  return {
    response: {
      status,
      headers,
      ...body,
      delay:
        delayOf(response['fixedDelayMilliseconds']) ??
        distribution(response['delayDistribution'], notes, place),
      chunks:
        count >= 1 && count <= 100_000 && Object.keys(body).length > 0
          ? { count: Math.floor(count), over: delayOf(dribble['totalDuration']) ?? '1ms' }
          : undefined,
      broken,
    },
  };
}

function bodyOf(
  response: Tree,
  type: string | undefined,
  text: (value: string) => string,
  isTemplate: boolean,
  { notes, place, readFile }: ResponseTools,
): AnswerBody {
  const { jsonBody, base64Body } = response;
  if (jsonBody !== undefined) {
    return { json: isTemplate ? translateJson(jsonBody, text) : literalJson(jsonBody) };
  }
  if (typeof base64Body === 'string') return { body_base64: base64Body.replaceAll(/\s/g, '') };
  const body = textOf(response['body']);
  if (body !== undefined)
    return isTemplate && body.includes('{{') ? { body: text(body) } : literalBody(body, type);
  const name = textOf(response['bodyFileName']);
  if (name === undefined) return {};
  const file = readFile(name);
  if (file === undefined) {
    notes.refused(
      place,
      `the body file "${name.slice(0, 200)}" is not there; import the folder that has mappings and __files`,
    );
    return {};
  }
  if (!isUtf8(file.bytes)) return { body_base64: Buffer.from(file.bytes).toString('base64') };
  return isTemplate ? { body: text(file.text) } : literalBody(file.text, type);
}

function translateJson(value: unknown, text: (value: string) => string, depth = 0): unknown {
  if (typeof value === 'string') return text(value);
  if (depth > 200) return null;
  if (Array.isArray(value)) return value.map((one) => translateJson(one, text, depth + 1));
  if (!isTree(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, translateJson(one, text, depth + 1)]),
  );
}

function distribution(given: unknown, notes: ImportNotes, place: string): unknown {
  if (!isTree(given)) return undefined;
  const { type, lower, upper, median, sigma, milliseconds } = given;
  if (type === 'uniform') {
    const max = delayOf(upper);
    return max === undefined || !(Number(lower) <= Number(upper))
      ? undefined
      : { uniform: { min: delayOf(lower) ?? '0ms', max } };
  }
  if (type === 'fixed') return delayOf(milliseconds);
  const middle = delayOf(median);
  if (type === 'lognormal' && middle !== undefined)
    return { lognormal: { median: middle, sigma: Math.min(Math.max(Number(sigma) || 0, 0), 5) } };
  notes.approximated(place, `the delay "${String(type).slice(0, 60)}" is not known and is left out`);
  return undefined;
}
