import { afterEach, describe, expect, it } from '@jest/globals';
import { batch, realElapsed } from '../src/time/clock-real.js';

afterEach(() => batch.end());

describe('a batch', () => {
  it('begins what follows when what was done before it has ended', () => {
    batch.begin(5);
    expect(batch.beginning()).toBe(5);
    const ended = batch.ending();
    expect(ended).toBeGreaterThan(5);
    expect(batch.beginning()).toBe(ended);
    expect(batch.ending()).toBeGreaterThanOrEqual(ended);
  });

  it('reads the clock for each beginning outside of one', () => {
    batch.begin(5);
    batch.end();
    const now = realElapsed();
    expect(batch.beginning()).toBeGreaterThanOrEqual(now);
    const ended = batch.ending();
    expect(batch.beginning()).toBeGreaterThanOrEqual(ended);
  });
});
