import { isObject } from '../validation/pointer.js';

/**
 * A mock whose numbers and truth values in `state` and `set_state` are texts, as a file has them: the state holds texts
 * alone, and whoever writes `{n: 5}` means the text. A mock without any is given back as it is.
 */
export function withStateTexts(mock: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { state, set_state: changes } = mock;
  if (state === undefined && changes === undefined) return mock;
  return {
    ...mock,
    ...(state !== undefined && {
      state: Array.isArray(state) ? state.map((each: unknown) => withTexts(each)) : withTexts(state),
    }),
    ...(changes !== undefined && { set_state: withTexts(changes) }),
  };
}

function withTexts(value: unknown): unknown {
  if (!isObject(value)) return value;
  const isText = (inner: unknown): boolean => typeof inner !== 'number' && typeof inner !== 'boolean';
  if (Object.values(value).every(isText)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [key, isText(inner) ? inner : String(inner)]),
  );
}
