import { describe, expect } from '@jest/globals';
import { itWithTool } from '@backlot/conformance';
import { openLog } from '../src/open-log.js';
import { ENGINES } from './engines.js';
import { afterThis, engineOf } from './support.js';

describe.each(ENGINES)('a log in %s', (engine) => {
  itWithTool(engine, 'is made once when many open it at the same moment', async () => {
    const { url } = await engineOf(engine);
    // The race is narrow: each name is one more chance.
    for (const name of ['one', 'two', 'three', 'four', 'five']) {
      const logs = await Promise.all(Array.from({ length: 12 }, () => openLog(url, name)));
      for (const log of logs) afterThis(() => log.close());
      const revisions = await Promise.all(logs.map((log, index) => log.append(`${index}`, `${index}`)));
      expect(new Set(revisions).size).toBe(12);
    }
  });
});
