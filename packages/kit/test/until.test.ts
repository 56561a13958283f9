import { describe, expect, it } from '@jest/globals';
import { until } from './clients.js';

describe('waiting until something is so', () => {
  it('ends when it is', async () => {
    let asked = 0;
    await until(() => (asked += 1) === 5);
    expect(asked).toBe(5);
  });

  it('ends with what was waited for when it never is', async () => {
    let asked = 0;
    const never = (): boolean => (asked += 1) < 0;
    await expect(until(never, 10)).rejects.toThrow('is not so after 10 turns of the event loop');
    expect(asked).toBe(11);
  });
});
