import { textOf, treesOf, type Tree } from '@backlot/contracts';

/** Variables of a collection, by name. */
export interface Variables {
  /** A text with the values of the variables in it; unknown ones stay. */
  resolve(text: string): string;
}

const MOST_TURNS = 5;

/** The variables that a collection sets itself. */
export function variablesOf(root: Tree): Variables {
  const values = new Map(
    treesOf(root['variable']).flatMap((one) => {
      const name = textOf(one['key']) ?? textOf(one['id']);
      const value = textOf(one['value']);
      return name === undefined || value === undefined ? [] : [[name, value.slice(0, 2000)] as const];
    }),
  );
  return {
    resolve(text) {
      let resolved = text;
      // A value may name further variables.
      for (
        let turn = 0;
        turn < MOST_TURNS && resolved.includes('{{') && resolved.length < 100_000;
        turn += 1
      ) {
        const next = resolved.replaceAll(
          /\{\{([^{}]{1,200})\}\}/g,
          (all, name: string) => values.get(name.trim()) ?? all,
        );
        if (next === resolved) break;
        resolved = next;
      }
      return resolved;
    },
  };
}
