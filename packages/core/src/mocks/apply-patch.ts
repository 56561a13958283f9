import type { StoredMock } from '../contract/given.js';
import type { ScenarioPatch } from '../contract/scenario.js';
import type { Protocol } from '../contract/protocol.js';
import type { Problem } from '../errors.js';
import { mergePatch } from '../validation/merge-patch.js';
import { changeAt, isObject } from '../validation/pointer.js';

/** Applies the patches of scenarios to a mock, field by field, the later over the earlier. The mock is not changed. */
export function applyScenarioPatches(
  protocol: Protocol,
  mock: StoredMock,
  patches: readonly ScenarioPatch[],
): { readonly value: unknown; readonly isDisabled: boolean } | { readonly problems: readonly Problem[] } {
  let value: unknown = mock;
  let isDisabled = false;
  for (const patch of patches) {
    const problems = checkTargets(protocol, patch);
    if (problems.length > 0) return { problems };
    if (patch.disabled !== undefined) isDisabled = patch.disabled;
    const targets = protocol.mocks.patchTargets ?? {};
    if (patch.merge !== undefined) value = mergePatch(value, patch.merge);
    if (patch.delay !== undefined) value = changeAt(value, '/delay', () => patch.delay);
    for (const field of ['status', 'body', 'headers'] as const) {
      const given = patch[field];
      if (given === undefined) continue;
      for (const target of targets[field] ?? []) {
        if (field === 'body') value = withoutOtherContent(value, target);
        value = changeAt(value, target, (before) =>
          field === 'headers' && isObject(given)
            ? mergeHeaders(isObject(before) ? before : {}, given)
            : given,
        );
      }
    }
  }
  return { value, isDisabled };
}

function checkTargets(protocol: Protocol, patch: ScenarioPatch): Problem[] {
  const problems: Problem[] = [];
  const targets = protocol.mocks.patchTargets ?? {};
  for (const field of ['status', 'headers', 'body'] as const) {
    if (patch[field] === undefined || targets[field] !== undefined) continue;
    problems.push({
      path: `/${field}`,
      message: `${protocol.kind} mocks have no ${field} to patch; use "merge"`,
    });
  }
  if (patch.merge !== undefined && Object.hasOwn(patch.merge, 'id') && patch.merge['id'] !== patch.mock_id) {
    problems.push({ path: '/merge/id', message: 'a patch cannot change an id' });
  }
  return problems;
}

/** A text takes the place of the JSON value or the bytes that stand beside it. */
function withoutOtherContent(value: unknown, target: string): unknown {
  const end = target.lastIndexOf('/');
  const text = target.slice(end + 1);
  if (text === '*') return value;
  return changeAt(value, target.slice(0, end), (around) => {
    if (!isObject(around)) return around;
    const { json: _json, [`${text}_base64`]: _bytes, ...others } = around;
    return others;
  });
}

function mergeHeaders(
  under: Readonly<Record<string, unknown>>,
  over: Readonly<Record<string, unknown>>,
): object {
  const replaced = new Set(Object.keys(over).map((name) => name.toLowerCase()));
  return Object.fromEntries([
    ...Object.entries(under).filter(([name]) => !replaced.has(name.toLowerCase())),
    ...Object.entries(over).filter(([, value]) => value !== null),
  ]);
}
