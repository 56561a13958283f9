import Bull from 'bull';
import { describe, expect, it } from '@jest/globals';
import { afterThis, startHost } from './support.js';

async function open(options: Bull.QueueOptions = {}): Promise<Bull.Queue> {
  const { port } = await startHost();
  const queue = new Bull('work', { redis: { port, host: '127.0.0.1' }, ...options });
  afterThis(() => queue.close());
  return queue;
}

describe('Bull', () => {
  it('jobs are done, in the order of their priority, and give their results', async () => {
    const queue = await open();
    const order: string[] = [];
    await queue.pause();
    const jobs = await queue.addBulk([
      { name: 'late', data: { x: 1 }, opts: { priority: 9 } },
      { name: 'early', data: { x: 2 }, opts: { priority: 1 } },
    ]);
    void queue.process('*', (job: Bull.Job<{ readonly x: number }>) => {
      order.push(job.name);
      return Promise.resolve(job.data.x * 2);
    });
    await queue.resume();
    expect(await Promise.all(jobs.map((job): Promise<unknown> => job.finished()))).toEqual([2, 4]);
    expect(order).toEqual(['early', 'late']);
    expect(await queue.getJobCounts()).toMatchObject({ completed: 2, failed: 0, waiting: 0 });
  });

  it('a job that fails is tried again after a backoff, and fails in the end', async () => {
    const queue = await open();
    let tries = 0;
    void queue.process(() => {
      tries += 1;
      return Promise.reject(new Error('not yet'));
    });
    const job = await queue.add({}, { attempts: 3, backoff: 5 });
    await expect(job.finished()).rejects.toThrow('not yet');
    expect(tries).toBe(3);
    expect(await queue.getFailedCount()).toBe(1);
    await job.retry();
    await expect(job.finished()).rejects.toThrow('not yet');
    expect(tries).toBe(4);
  });

  it('jobs wait for their delay, and are promoted', async () => {
    const queue = await open();
    void queue.process((job: Bull.Job<unknown>) => Promise.resolve(job.id));
    const soon = await queue.add({}, { delay: 20 });
    const later = await queue.add({}, { delay: 3_600_000 });
    await soon.finished();
    expect(await later.getState()).toBe('delayed');
    await later.promote();
    await later.finished();
    expect(await later.isCompleted()).toBe(true);
    await queue.add({}, { repeat: { cron: '0 3 * * *' } });
    expect(await queue.getRepeatableJobs()).toMatchObject([{ cron: '0 3 * * *' }]);
    await queue.obliterate({ force: true });
    expect(await queue.count()).toBe(0);
  });
});
