import { describe, expect, it } from '@jest/globals';
import { findUnexportedTypes } from '../checks/exported-types.mjs';
import { withTree } from './tree.mjs';

const SRC = 'packages/protocols/gopher/src';
const GENERATED = 'export interface GopherMock {}\n\nexport type GopherFault = FaultFields;\n';

describe('the check of generated types', () => {
  it('finds one that the package does not export', async () => {
    const index = `export type { GopherFault } from './types.generated.js';\n`;
    const tree = { [`${SRC}/types.generated.ts`]: GENERATED, [`${SRC}/index.ts`]: index };
    expect(await withTree(tree, findUnexportedTypes)).toEqual([
      `${SRC}/index.ts does not export GopherMock of ./types.generated.js`,
    ]);
  });

  it('accepts a list of all, and a package without generated types', async () => {
    const index = `export type {\n  GopherFault,\n  GopherMock,\n} from './types.generated.js';\n`;
    const tree = {
      [`${SRC}/types.generated.ts`]: GENERATED,
      [`${SRC}/index.ts`]: index,
      'packages/protocols/finger/src/index.ts': `export { finger } from './plugin.js';\n`,
    };
    expect(await withTree(tree, findUnexportedTypes)).toEqual([]);
  });
});
