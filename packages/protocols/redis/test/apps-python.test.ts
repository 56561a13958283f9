import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect } from '@jest/globals';
import { itWithTool, PYTHON, runTool } from '@backlot/conformance';
import { afterThis, startHost } from './support.js';

const LOCKS = `
import sys, redis
r = redis.Redis(port=int(sys.argv[1]))
lock = r.lock('lock', timeout=60)
print(lock.acquire(blocking=False), r.lock('lock').acquire(blocking=False), lock.owned())
print(lock.extend(60), 60 < r.ttl('lock') <= 120, lock.reacquire(), r.ttl('lock') <= 60)
lock.release()
print(r.exists('lock'))
try:
    lock.release()
except redis.exceptions.LockError as e:
    print(e)
stolen = r.lock('lock', timeout=60)
stolen.acquire()
r.set('lock', 'another')
try:
    stolen.release()
except redis.exceptions.LockNotOwnedError as e:
    print(e)
r.delete('lock')
with r.lock('lock', timeout=60, blocking_timeout=1) as lock:
    print(lock.locked())
print(r.keys('*'))
`;

const TASKS = `
def double(x):
    return 2 * x

def broken():
    raise ValueError('no')
`;

const RQ = `
import sys, redis, datetime, logging
from rq import Queue, Retry, SimpleWorker
from rq.registry import FailedJobRegistry, ScheduledJobRegistry
logging.disable(logging.CRITICAL)
import tasks
c = redis.Redis(port=int(sys.argv[1]))
q = Queue('work', connection=c)
one = q.enqueue(tasks.double, 21)
two = q.enqueue(tasks.double, 2, depends_on=one)
bad = q.enqueue(tasks.broken, retry=Retry(max=1))
print(q.count, one.get_status(), two.get_status())
later = q.enqueue_in(datetime.timedelta(hours=1), tasks.double, 3)
print(later.get_status(), later in ScheduledJobRegistry(queue=q))
w = SimpleWorker([q], connection=c)
w.work(burst=True, logging_level='CRITICAL')
print(one.result, two.result, bad.get_status(refresh=True), len(FailedJobRegistry(queue=q)), q.count)
`;

const CELERY = `
import sys, threading
from celery import Celery, chain, group
url = 'redis://127.0.0.1:%s/0' % sys.argv[1]
app = Celery('work', broker=url, backend=url)
app.conf.update(worker_hijack_root_logger=False, broker_connection_retry_on_startup=False)

@app.task(bind=True, max_retries=1, default_retry_delay=0)
def flaky(self):
    if self.request.retries == 0:
        raise self.retry()
    return 'mended'

@app.task
def add(x, y):
    return x + y

@app.task
def broken():
    raise ValueError('no')

from celery.contrib.testing.worker import start_worker
with start_worker(app, pool='solo', perform_ping_check=False, loglevel='CRITICAL', shutdown_timeout=20):
    print(add.delay(1, 2).get(timeout=20), flaky.delay().get(timeout=20))
    print(chain(add.s(1, 2), add.s(10))().get(timeout=20), group(add.s(i, i) for i in range(3))().get(timeout=20))
    print(add.apply_async((2, 3), countdown=0.05).get(timeout=20))
    try:
        broken.delay().get(timeout=20)
    except ValueError as e:
        print('failed:', e)
`;

async function folderOfTasks(): Promise<string> {
  const folder = await mkdtemp(path.join(tmpdir(), 'backlot-rq-'));
  afterThis(() => rm(folder, { recursive: true }));
  await writeFile(path.join(folder, 'tasks.py'), TASKS);
  return folder;
}

describe('python', () => {
  itWithTool('python3:redis', 'locks of redis-py', async () => {
    const { port } = await startHost();
    const { out, err } = await runTool(PYTHON, ['-c', LOCKS, String(port)]);
    expect(err).toBe('');
    expect(out.trim().split('\n')).toEqual([
      'True False True',
      'True True True True',
      '0',
      'Cannot release an unlocked lock',
      "Cannot release a lock that's no longer owned",
      'True',
      '[]',
    ]);
  });

  itWithTool('python3:rq', 'jobs of rq: done, failed, tried again, scheduled', async () => {
    const { port } = await startHost();
    const folder = await folderOfTasks();
    const script = `import sys\nsys.path.insert(0, ${JSON.stringify(folder)})\n${RQ}`;
    const { out, err } = await runTool(PYTHON, ['-c', script, String(port)]);
    expect(err).toBe('');
    expect(out.trim().split('\n')).toEqual(['2 queued deferred', 'scheduled True', '42 4 failed 1 0']);
  });

  itWithTool('python3:celery', 'tasks of Celery: done, tried again, chained, failed', async () => {
    const { port } = await startHost();
    const { out } = await runTool(PYTHON, ['-c', CELERY, String(port)]);
    expect(out.trim().split('\n')).toEqual(['3 mended', '13 [0, 2, 4]', '5', 'failed: no']);
  });
});
