import {
  forgetCaptures,
  LATER,
  markCaptures,
  type CompileTools,
  type PathPattern,
  type Pointer,
  type TestResult,
} from '@backlot/core/plugin';
import { plainRecord } from '@backlot/kit/http';
import type { HttpMessage } from '../message.js';
import type { RequestFields } from '../schemas/request.js';
import { compileConditions, pointer, type Condition } from './conditions.js';
import { compileMethod, testMethod } from './method.js';
import { compileCaptures, compilePath, type PathCondition } from './path.js';

/** So many reasons are told when none of them matches. */
const MAX_REASONS = 5;

/** One of the requests that a mock answers. */
interface Alternative {
  readonly path: PathCondition;
  readonly method: string | undefined;
  readonly conditions: readonly Condition[];
  readonly captures: ReturnType<typeof compileCaptures>;
}

/** Requests of which a message must be one. */
export class Alternatives {
  /** The paths that they are found by, each once. */
  readonly paths: readonly PathPattern[];
  readonly hasCaptures: boolean;
  readonly #list: readonly Alternative[];

  constructor(list: readonly Alternative[]) {
    this.#list = list;
    this.paths = [...new Map(list.map(({ path }) => [path.main.source, path.main])).values()];
    this.hasCaptures = list.some(({ captures }) => captures !== undefined);
  }

  /** The first that matches decides; else whether one of them has to wait, or asks for credentials. */
  test(message: HttpMessage): TestResult {
    let other: TestResult | undefined;
    const mark = markCaptures();
    for (const alternative of this.#list) {
      const result = testOne(alternative, message);
      if (result === true) return true;
      forgetCaptures(mark);
      if (result === LATER) other = LATER;
      else if (typeof result === 'object') other ??= result;
    }
    return other ?? (() => this.#reason(message));
  }

  /** What the path of the first that matches captures. */
  params(message: HttpMessage): Record<string, string> {
    const found = this.#list.find((alternative) => testOne(alternative, message) === true);
    return Object.assign(plainRecord<string>(), found?.captures?.(message.split));
  }

  #reason(message: HttpMessage): string {
    const reasons = this.#list.slice(0, MAX_REASONS).map((alternative, index) => {
      const result = testOne(alternative, message);
      return `any_of[${index}] ${typeof result === 'function' ? result() : typeof result === 'string' ? result : 'asks for more'}`;
    });
    const more = this.#list.length - reasons.length;
    return `${reasons.join('; ')}${more > 0 ? `; and ${more} more` : ''}`;
  }
}

/** Compiles `any_of`; the paths are compiled for each. */
export function compileAlternatives(
  list: readonly RequestFields[] | undefined,
  tools: CompileTools,
  at: Pointer,
): Alternatives | undefined {
  if (list === undefined) return undefined;
  return new Alternatives(
    list.map((request, index) => {
      const place = pointer(at, index);
      const path = compilePath(request, tools, place);
      return {
        path,
        method: compileMethod(request.method, tools, pointer(place, 'method')),
        conditions: compileConditions(request, tools, place),
        captures: compileCaptures(path),
      };
    }),
  );
}

function testOne({ path, method, conditions }: Alternative, message: HttpMessage): TestResult {
  const { main, also } = path;
  if (!main.test(message.split)) return () => main.reason(message.split);
  if (also !== undefined && !also.test(message.split)) return () => also.reason(message.split);
  const fits = testMethod(method, message);
  if (fits !== true) return fits;
  for (const condition of conditions) {
    const result = condition(message);
    if (result !== true) return result;
  }
  return true;
}
