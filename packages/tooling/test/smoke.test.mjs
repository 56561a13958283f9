import { describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { startAndStop } from '../checks/smoke.mjs';
import { withTree } from './tree.mjs';

/** @param {string} text the app */
const start = (text) => withTree({ 'app.mjs': text }, (root) => startAndStop(join(root, 'app.mjs'), root));

const STAY = `setInterval(() => {}, 1000);`;

describe('starting and stopping the packed app', () => {
  it('accepts an app that is ready and stops in order', async () => {
    await expect(
      start(`${STAY} process.on('SIGTERM', () => process.exit(0)); console.log('ready');`),
    ).resolves.toBeUndefined();
  });

  it('gives the urls to who uses it, and finds an app that does not do what it should', async () => {
    await withTree({ 'app.mjs': `${STAY} console.log('ready http=http://x:1 api=http://x:2');` }, (root) =>
      expect(
        startAndStop(join(root, 'app.mjs'), root, [], (urls) =>
          Promise.reject(new Error(JSON.stringify(urls))),
        ),
      ).rejects.toThrow('does not do what it should: {"http":"http://x:1","api":"http://x:2"}'),
    );
  });

  it('finds an app that ends by itself', async () => {
    await expect(start(`console.error('no such port'); process.exit(3);`)).rejects.toThrow(
      /ended with 3 before it was ready:\nno such port/,
    );
  });

  it('finds an app that does not stop in order', async () => {
    await expect(start(`${STAY} console.log('ready');`)).rejects.toThrow(
      /ended with SIGTERM on SIGTERM, want 0/,
    );
  });
});
