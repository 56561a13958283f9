import { compileFunction } from 'node:vm';

/** Runs code as the body of a function with these parameters. */
export function runCode(code: string, parameters: Readonly<Record<string, unknown>>): unknown {
  const run = compileFunction(code, Object.keys(parameters)) as (...given: readonly unknown[]) => unknown;
  return run(...Object.values(parameters));
}
