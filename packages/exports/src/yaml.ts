import type { Exporter } from '@backlot/core/plugin';
import { stringify } from 'yaml';
import { treeOf } from './shared/trees.js';

/** Lists of more values are written a value at a time. */
const DEEPEST = 4;

/** What runs as a configuration file that starts the same. */
export const yaml: Exporter = {
  format: 'yaml',
  title: 'Backlot configuration',
  contentType: 'application/yaml; charset=utf-8',
  extension: '.yaml',
  *write(source, notes) {
    const configuration = source.configuration();
    for (const [kind, block] of Object.entries(treeOf(configuration['protocols']))) {
      notes.written('protocols');
      for (const [name, list] of Object.entries(treeOf(block)))
        if (Array.isArray(list)) for (const _ of list) notes.written(`${kind} ${name}`);
    }
    yield* entries(configuration, 0);
  },
};

/** The fields of an object, or the values of a list, each as a piece of its own where it may be large. */
function* entries(value: object, depth: number): Generator<string, void, undefined> {
  const indent = '  '.repeat(depth);
  for (const [name, inner] of Object.entries(value)) {
    const isLarge = typeof inner === 'object' && inner !== null && Object.keys(inner as object).length > 0;
    if (!isLarge || depth >= DEEPEST) {
      yield indented(text({ [name]: inner as unknown }), indent);
    } else {
      yield `${indent}${text({ [name]: 0 })
        .replace(/0\n$/, '')
        .trimEnd()}\n`;
      if (Array.isArray(inner)) for (const item of inner) yield indented(text([item]), `${indent}  `);
      else yield* entries(inner as object, depth + 1);
    }
  }
}

function text(value: unknown): string {
  // Names of variables were replaced when the file was read: what looks like one is text.
  return stringify(value, { lineWidth: 0, aliasDuplicateObjects: false }).replaceAll('${', () => '$${');
}

function indented(lines: string, indent: string): string {
  return indent === '' ? lines : lines.replaceAll(/^(?=.)/gm, indent);
}
