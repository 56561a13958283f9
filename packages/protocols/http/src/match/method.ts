import { METHODS } from 'node:http';
import type { CompileTools, Miss, Pointer } from '@backlot/core/plugin';
import { isHeaderName } from '@backlot/kit/http';
import type { HttpMessage } from '../message.js';

// One text per method, so that comparing is comparing two addresses.
const KNOWN: ReadonlyMap<string, string> = new Map(METHODS.map((method) => [method, method]));

/** The method that a mock names, in upper case; `undefined` when it takes any. */
export function compileMethod(
  source: string | undefined,
  tools: CompileTools,
  at: Pointer,
): string | undefined {
  if (source === undefined || source === '' || source === '*') return undefined;
  if (!isHeaderName(source)) {
    tools.problem(at, `${JSON.stringify(source)} is not a method; give one such as GET, or * for any`);
  }
  const method = source.toUpperCase();
  return KNOWN.get(method) ?? method;
}

/** Whether a request has the method; GET takes HEAD as well. */
export function testMethod(wanted: string | undefined, message: HttpMessage): true | Miss {
  const { method } = message;
  if (wanted === undefined) {
    return !message.preflight || 'method: a CORS preflight is answered by mocks whose method is OPTIONS';
  }
  if (method === wanted || (method === 'HEAD' && wanted === 'GET')) return true;
  return () => `method: got "${method}", want "${wanted}"`;
}
