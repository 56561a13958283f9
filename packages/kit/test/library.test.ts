import { X509Certificate } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { PARTS, loadPart } from '../src/certificate-generator.js';
import { processCertificate } from '../src/index.js';

it('is loaded in a turn for each of its parts, in which others are served', async () => {
  let turns = 0;
  let isOver = false;
  const turn = (): void => {
    turns += 1;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  const { cert } = await processCertificate();
  isOver = true;
  expect(turns).toBeGreaterThanOrEqual(PARTS.length);
  expect(new X509Certificate(cert).checkHost('localhost')).toBe('localhost');
});

// Names of what selfsigned is made of, used in certificate-generator.ts to load it in parts.
it.each(PARTS.map((names) => [names.join(' > '), names] as const))('has the part %s', (_, names) => {
  expect(loadPart(names)).toBe(true);
});

it('is loaded as a whole where a part has no name of its own', () => {
  expect(loadPart(['selfsigned', 'no-such-part'])).toBe(false);
});
