import { FlowProducer, Queue, QueueEvents, Worker, type Job, type WorkerOptions } from 'bullmq';
import { describe, expect, it } from '@jest/globals';
import { afterThis, startHost, type Running } from './support.js';

interface Place {
  readonly host: Running;
  readonly connection: { readonly host: string; readonly port: number };
  readonly queue: Queue;
}

async function open(): Promise<Place> {
  const host = await startHost();
  const connection = { host: '127.0.0.1', port: host.port };
  const queue = new Queue('work', { connection });
  afterThis(() => queue.close());
  return { host, connection, queue };
}

function work(
  { connection }: Place,
  run: (job: Job) => Promise<unknown>,
  options: Partial<WorkerOptions> = {},
): Worker {
  const worker = new Worker('work', run, { connection, ...options });
  afterThis(() => worker.close());
  return worker;
}

async function listen({ connection }: Place): Promise<QueueEvents> {
  const events = new QueueEvents('work', { connection });
  afterThis(() => events.close());
  await events.waitUntilReady();
  return events;
}

describe('BullMQ', () => {
  it('jobs are added, done, and give their results and progress', async () => {
    const place = await open();
    const events = await listen(place);
    const progress: unknown[] = [];
    events.on('progress', ({ data }) => progress.push(data));
    work(place, async (job) => {
      await job.updateProgress(50);
      await job.log('half done');
      return (job.data as { readonly x: number }).x * 2;
    });
    const jobs = await place.queue.addBulk([
      { name: 'double', data: { x: 1 } },
      { name: 'double', data: { x: 2 }, opts: { priority: 5 } },
    ]);
    expect(await Promise.all(jobs.map((job) => job.waitUntilFinished(events)))).toEqual([2, 4]);
    expect(progress).toEqual([50, 50]);
    expect(await place.queue.getJobLogs(jobs[0]?.id ?? '')).toEqual({ logs: ['half done'], count: 1 });
    expect(await place.queue.getJobCounts()).toMatchObject({
      completed: 2,
      failed: 0,
      waiting: 0,
      active: 0,
    });
  });

  it('a job that fails is tried again after a backoff, and fails in the end', async () => {
    const place = await open();
    const events = await listen(place);
    const tries: string[] = [];
    work(place, (job) => {
      tries.push(job.name);
      const isLast = job.name === 'mended' && job.attemptsMade === 1;
      return isLast ? Promise.resolve('done') : Promise.reject(new Error('not yet'));
    });
    const opts = { attempts: 2, backoff: { type: 'exponential', delay: 5 } };
    const mended = await place.queue.add('mended', {}, opts);
    const broken = await place.queue.add('broken', {}, opts);
    expect(await mended.waitUntilFinished(events)).toBe('done');
    await expect(broken.waitUntilFinished(events)).rejects.toThrow('not yet');
    expect(tries.sort()).toEqual(['broken', 'broken', 'mended', 'mended']);
    expect(await broken.getState()).toBe('failed');
    const failed = (await place.queue.getFailed())[0];
    expect(failed).toMatchObject({ failedReason: 'not yet', attemptsMade: 2 });
    await failed?.remove();
    expect(await place.queue.getJobCounts('completed', 'failed')).toEqual({ completed: 1, failed: 0 });
  });

  it('jobs wait for their delay, a repeated one for its turns', async () => {
    const place = await open();
    const events = await listen(place);
    const later = await place.queue.add('later', {}, { delay: 3_600_000 });
    const soon = await place.queue.add('soon', {}, { delay: 20 });
    expect(await place.queue.getJobCounts('delayed', 'waiting')).toEqual({ delayed: 2, waiting: 0 });
    let turns = 0;
    let seen = (): void => undefined;
    const twice = new Promise<void>((resolve) => {
      seen = resolve;
    });
    work(place, (job) => {
      if (job.name === 'tick') turns += 1;
      if (turns === 2) seen();
      return Promise.resolve(job.name);
    });
    expect(await soon.waitUntilFinished(events)).toBe('soon');
    expect(await later.getState()).toBe('delayed');
    await later.promote();
    expect(await later.waitUntilFinished(events)).toBe('later');
    await place.queue.upsertJobScheduler('ticking', { every: 20 }, { name: 'tick' });
    expect(await place.queue.getJobSchedulers()).toMatchObject([{ key: 'ticking', name: 'tick' }]);
    await twice;
    expect(await place.queue.removeJobScheduler('ticking')).toBe(true);
    await place.queue.upsertJobScheduler('nightly', { pattern: '0 3 * * *' }, { name: 'night' });
    expect(await place.queue.getJobSchedulersCount()).toBe(1);
  });

  it('a rate limit ends by the clock of the host', async () => {
    const place = await open();
    const events = await listen(place);
    const done: string[] = [];
    const worker = work(
      place,
      (job) => {
        done.push(job.name);
        return Promise.resolve();
      },
      { limiter: { max: 1, duration: 600_000 }, autorun: false },
    );
    const [first] = await place.queue.addBulk([
      { name: 'a', data: {} },
      { name: 'b', data: {} },
    ]);
    void worker.run();
    await first?.waitUntilFinished(events);
    expect(await place.queue.getRateLimitTtl()).toBeGreaterThan(500_000);
    await place.host.host.clock.advance(600_000);
    expect(await place.queue.getRateLimitTtl()).toBeLessThan(0);
    expect(done).toEqual(['a']);
    await worker.close();
    const other = work(place, (job) => {
      done.push(job.name);
      return Promise.resolve();
    });
    await new Promise((resolve) => other.on('completed', resolve));
    expect(done).toEqual(['a', 'b']);
  });

  it('a queue is paused, resumed, drained and obliterated', async () => {
    const place = await open();
    const events = await listen(place);
    await place.queue.pause();
    work(place, () => Promise.resolve('x'));
    const job = await place.queue.add('a', {});
    expect(await place.queue.isPaused()).toBe(true);
    expect(await place.queue.getJobCounts('waiting', 'active')).toEqual({ waiting: 1, active: 0 });
    await place.queue.resume();
    expect(await job.waitUntilFinished(events)).toBe('x');
    await place.queue.pause();
    await place.queue.add('b', {});
    await place.queue.drain();
    expect(await place.queue.count()).toBe(0);
    expect(await place.queue.clean(0, 10, 'completed')).toEqual([job.id]);
    await place.queue.obliterate();
    expect(await place.queue.getJobCountByTypes('completed', 'wait')).toBe(0);
  });

  it('the parent of a flow comes after its children', async () => {
    const place = await open();
    const events = await listen(place);
    const flows = new FlowProducer({ connection: place.connection });
    afterThis(() => flows.close());
    const { job } = await flows.add({
      name: 'sum',
      queueName: 'work',
      children: [1, 2, 3].map((x) => ({ name: 'part', queueName: 'work', data: { x } })),
    });
    expect(await job.getState()).toBe('waiting-children');
    work(place, async (step) => {
      if (step.name === 'part') return (step.data as { readonly x: number }).x;
      const values = Object.values(await step.getChildrenValues<number>());
      return values.reduce((sum, value) => sum + value, 0);
    });
    expect(await job.waitUntilFinished(events)).toBe(6);
    expect(await job.getDependenciesCount()).toMatchObject({ processed: 3, unprocessed: 0 });
  });

  it('a job with the same deduplication id is not added twice', async () => {
    const place = await open();
    const first = await place.queue.add('a', {}, { deduplication: { id: 'one', ttl: 60_000 } });
    const second = await place.queue.add('a', {}, { deduplication: { id: 'one', ttl: 60_000 } });
    expect(second.id).toBe(first.id);
    await place.host.host.clock.advance(60_000);
    const third = await place.queue.add('a', {}, { deduplication: { id: 'one', ttl: 60_000 } });
    expect(third.id).not.toBe(first.id);
  });
});
