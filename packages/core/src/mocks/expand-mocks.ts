import type { Protocol } from '../contract/protocol.js';
import type { Problem } from '../errors.js';
import { isObject, pointTo } from '../validation/pointer.js';
import { isTested, markTested } from '../validation/tested.js';
import { createValidator } from '../validation/validator.js';

/** A list of mocks without short forms. */
export interface ExpandedMocks {
  readonly mocks: readonly unknown[];
  /** What is wrong with short forms. */
  readonly problems: readonly Problem[];
  /** A problem of one of the mocks, with its place in the list that was given. */
  readonly locate: (problem: Problem) => Problem;
}

/** Puts mocks in the places of the short forms of a list that stand for several. */
export function expandMocks(protocol: Protocol, list: readonly unknown[], base: string): ExpandedMocks {
  const { shorthand } = protocol.mocks;
  const isShort = (entry: unknown): boolean =>
    shorthand !== undefined && isObject(entry) && Object.hasOwn(entry, shorthand.field);
  if (shorthand === undefined || !list.some(isShort))
    return { mocks: list, problems: [], locate: (problem) => problem };
  const validator = createValidator(shorthand.schema);
  const problems: Problem[] = [];
  /** For each mock the place of its entry, and whether it is the entry itself. */
  const origins: { readonly index: number; readonly isOwn: boolean }[] = [];
  const mocks = list.flatMap((entry, index): readonly unknown[] => {
    if (!isShort(entry)) {
      origins.push({ index, isOwn: true });
      return [entry];
    }
    const at = pointTo(base, index);
    const wasTested = isTested(entry as object);
    const found = (wasTested ? [] : validator.check(entry)).map(({ path, message }) => ({
      path: at + path,
      message,
    }));
    problems.push(...found);
    const made = found.length > 0 ? [] : shorthand.expand(entry as never);
    if (wasTested) for (const mock of made) markTested(mock);
    origins.push(...made.map(() => ({ index, isOwn: false })));
    return made;
  });
  return {
    mocks,
    problems,
    locate({ path, message }) {
      const [step = '', ...rest] = path.slice(base.length + 1).split('/');
      const origin = path.startsWith(`${base}/`) ? origins[Number(step)] : undefined;
      if (origin === undefined) return { path, message };
      const at = pointTo(base, origin.index);
      return origin.isOwn
        ? { path: [at, ...rest].join('/'), message }
        : {
            path: pointTo(at, shorthand.field),
            message: `${message} (${rest.join('/')} of what it stands for)`,
          };
    },
  };
}
