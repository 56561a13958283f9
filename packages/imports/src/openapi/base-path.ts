import type { ImportNotes } from '@backlot/core/plugin';
import { targetOf } from '../shared/target.js';
import { memberOf, textOf, treesOf, type Tree } from '@backlot/contracts';

/** The path that stands before all paths of a document; empty for the root. */
export function basePathOf(tree: Tree, notes: ImportNotes): string {
  if (tree['openapi'] === undefined) return clean(textOf(tree['basePath']) ?? '');
  const bases = [...new Set(treesOf(tree['servers']).map(serverPath))];
  const [first = '', ...others] = bases;
  if (others.length > 0) {
    notes.approximated(
      '/servers',
      `mocks are below the path of the first server, "${first || '/'}", and not below ${others
        .slice(0, 5)
        .map((path) => `"${path || '/'}"`)
        .join(', ')}`,
    );
  }
  return first;
}

function serverPath(server: Tree): string {
  const url = (textOf(server['url']) ?? '').replaceAll(/\{([^{}]{1,100})\}/g, (_all, name: string) => {
    const variable = memberOf(server['variables'], name);
    return textOf(memberOf(variable, 'default')) ?? name;
  });
  return clean(targetOf(url)?.path ?? '');
}

function clean(path: string): string {
  const trimmed = path.replace(/\/+$/, '');
  return trimmed === '' || trimmed.startsWith('/') ? trimmed : `/${trimmed}`;
}
