import type { Protocol } from '@backlot/core';
import type { OpenedConfig } from './open.js';
import type { ConfigProblem } from './problem.js';

/**
 * Takes settings without a value away from upstreams to which nothing connects, as their mode is `replay`. What others lack is a problem.
 *
 * @param replays - whether that is to be the mode of all upstreams that have it
 */
export function withoutUnsetUpstreams(
  opened: OpenedConfig,
  protocols: readonly Protocol[],
  replays: boolean,
): OpenedConfig {
  const problems: ConfigProblem[] = [];
  let { root } = opened;
  for (const { kind, field, text, problem } of opened.unset) {
    const upstream = treeAt(root, ['protocols', kind, 'upstream']);
    // Another file, a flag or the environment has given a value.
    if (upstream === undefined || upstream[field] !== text) continue;
    const modes = protocols.find((one) => one.kind === kind)?.recording?.modes ?? [];
    const mode = replays && modes.includes('replay') ? 'replay' : upstream['mode'];
    if (mode !== 'replay') problems.push(problem);
    else {
      const { [field]: _unset, ...rest } = upstream;
      const blocks = treeAt(root, ['protocols']);
      root = {
        ...root,
        protocols: { ...blocks, [kind]: { ...treeAt(blocks, [kind]), upstream: { ...rest, mode } } },
      };
    }
  }
  return problems.length === 0 && root === opened.root
    ? opened
    : { ...opened, root, problems: [...opened.problems, ...problems] };
}

type Tree = Readonly<Record<string, unknown>>;

function treeAt(value: unknown, names: readonly string[]): Tree | undefined {
  let found = value;
  for (const name of names) found = isTree(found) && Object.hasOwn(found, name) ? found[name] : undefined;
  return isTree(found) ? found : undefined;
}

function isTree(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
