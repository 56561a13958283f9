import path from 'node:path';
import { describe, expect } from '@jest/globals';
import { itWithTool, PYTHON, runTool } from '@backlot/conformance';
import { startHost } from './support.js';

/** Debian's Ruby, which has the gems that Debian installs. */
const RUBY = '/usr/bin/ruby';
const JOBS = path.join(import.meta.dirname, 'sidekiq');
const CACHE = path.join(import.meta.dirname, 'django', 'cache.py');

/** What redis-server makes of the same program. */
const CACHED = `True {'name': 'Ada', 'tags': ['a', 'b']}
default False True
True True 0
True True True None
True 2 12 10
Key 'shop:1:none' not found
None OrderedDict([('a:0', 0), ('a:4', 4)])
['a:0', 'a:1', 'a:2', 'a:3', 'a:4'] True
5 [] True False
[1, 2] True True
True False 1
True 2 old
True False True
True None
[1, 2] True
False
None None []`;

describe('applications of other languages', () => {
  itWithTool(
    'sidekiq',
    'jobs of Sidekiq: done, tried again, scheduled, given up',
    async () => {
      const { port } = await startHost();
      const env = { REDIS_URL: `redis://127.0.0.1:${port}/0` };
      const enqueued = await runTool(RUBY, [path.join(JOBS, 'enqueue.rb')], { env });
      expect(enqueued.out).toBe('queued Broken Flaky Add\nscheduled BringForward\n');
      const worker = await runTool('sidekiq', ['-c', '2', '-r', path.join(JOBS, 'jobs.rb')], { env });
      expect(worker.code).toBe(0);
      const report = await runTool(RUBY, [path.join(JOBS, 'report.rb')], { env });
      expect(report.out.trim().split('\n')).toEqual([
        'gave up: no',
        'retries Flaky',
        'sum 3',
        'tried 2',
        'processed 5, failed 2, enqueued 0',
        'dead Broken, to retry 0, workers 0',
      ]);
    },
    60_000,
  );

  itWithTool('python3:django python3:django_redis', 'the cache, locks and sessions of Django', async () => {
    const { port } = await startHost();
    const { out, err } = await runTool(PYTHON, ['-B', CACHE, String(port)]);
    expect(err).toBe('');
    expect(out.trim()).toBe(CACHED);
  });
});
