import type { ScenarioPatch } from '../contract/scenario.js';
import { problemsIn, type Problem } from '../errors.js';
import { compileDelay } from '../time/delay.js';
import { isObject, pointTo } from '../validation/pointer.js';

const FILE_FORMS = ['file', 'dir'] as const;

/** Problems that a patch has whatever the mock is, so also when there is none yet, by their places in the patch. */
export function checkPatch(patch: ScenarioPatch): Problem[] {
  const { delay, body, merge } = patch;
  const problems: Problem[] = [];
  try {
    compileDelay(delay);
  } catch (thrown) {
    problems.push(...problemsIn(thrown, '/delay'));
  }
  problems.push(...checkBody(body, '/body'), ...findFiles(merge, '/merge'));
  return problems;
}

/** The places below a value where a body names a file. */
function findFiles(value: unknown, at: string): Problem[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const path = pointTo(at, name);
    return [...(name === 'body' ? checkBody(inner, path) : []), ...findFiles(inner, path)];
  });
}

function checkBody(body: unknown, path: string): Problem[] {
  const form = isObject(body) ? FILE_FORMS.find((name) => Object.hasOwn(body, name)) : undefined;
  if (form === undefined) return [];
  return [
    {
      path,
      message: `must be a text, got {"${form}": ...}: only a mock or the "body" of a patch in a configuration file can name files`,
    },
  ];
}
