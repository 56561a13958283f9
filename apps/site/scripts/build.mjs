import { fileURLToPath } from 'node:url';
import { build } from 'vitepress';

/** Writes the site into `dist`; fails where a page names another one that is not there. */
await build(fileURLToPath(new URL('..', import.meta.url)));
