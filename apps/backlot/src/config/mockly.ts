import { pointTo } from './pointer.js';
import type { PointedProblem } from './expand-folders.js';

type Tree = Readonly<Record<string, unknown>>;

/** A file's value with Mockly's top-level block moved to where ours is. */
export interface Unified {
  readonly root: Tree;
  readonly problems: readonly PointedProblem[];
  /** What was accepted and has no effect. */
  readonly notices: readonly PointedProblem[];
  /** Whether the file is written for Mockly. */
  readonly isMockly: boolean;
  /** Where a pointer into `root` stands in the file. */
  origin(pointer: string): string;
}

/** What the settings of a kind are in a file for Mockly that does not say, where our default is another. */
const MOCKLY_DEFAULTS: Readonly<Record<string, Tree>> = { redis: { mode: 'mock' } };

/** Whether the name of a file is one that Mockly gives. */
export function isMocklyName(file: string): boolean {
  return /(?:^|[/\\])mockly\.[a-z]+$/.test(file);
}

/** The settings of the protocols of a file for Mockly, with the defaults that it counts on. */
export function withMocklyDefaults(protocols: Tree): Tree {
  return Object.fromEntries(
    Object.entries(protocols).map(([kind, block]) => {
      const defaults = Object.hasOwn(MOCKLY_DEFAULTS, kind) ? MOCKLY_DEFAULTS[kind] : undefined;
      return [kind, defaults !== undefined && isObject(block) ? { ...defaults, ...block } : block];
    }),
  );
}

/** Moves `mockly.api` to `api` and takes away `mockly.ui`. */
export function unify(root: Tree): Unified {
  const block = root['mockly'];
  if (!Object.hasOwn(root, 'mockly') || (block !== null && !isObject(block))) {
    return { root, problems: [], notices: [], isMockly: false, origin: (pointer) => pointer };
  }
  const inner: Tree = block ?? {};
  const rest = Object.fromEntries(Object.entries(root).filter(([name]) => name !== 'mockly'));
  // What is wrong inside stays where it is, for the schema to name.
  const others = Object.fromEntries(
    Object.entries(inner).filter(([name]) => name !== 'api' && name !== 'ui'),
  );
  const isTwice = Object.hasOwn(inner, 'api') && Object.hasOwn(root, 'api');
  const moved = Object.hasOwn(inner, 'api') && !isTwice;
  return {
    root: {
      ...rest,
      ...(moved ? { api: inner['api'] } : {}),
      ...(Object.keys(others).length > 0 ? { mockly: others } : {}),
    },
    problems: isTwice
      ? [{ path: '/mockly/api', message: 'the management port is also set under "api"; keep one of the two' }]
      : [],
    notices: Object.hasOwn(inner, 'ui')
      ? [
          {
            path: '/mockly/ui',
            message: 'mockly.ui is ignored: there is no web page on a port of its own',
          },
        ]
      : [],
    isMockly: true,
    origin: (pointer) =>
      moved && (pointer === '/api' || pointer.startsWith('/api/'))
        ? pointTo('', 'mockly') + pointer
        : pointer,
  };
}

function isObject(value: unknown): value is Tree {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
