import { describe, expect } from '@jest/globals';
import { itWithTool, PYTHON, runTool } from '@backlot/conformance';
import { startHost } from './support.js';

const CELERY = `
import sys
from celery import Celery, chain
app = Celery('work', broker=sys.argv[1], backend='rpc://')
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
    print(chain(add.s(1, 2), add.s(10))().get(timeout=20))
    print(add.apply_async((2, 3), countdown=0.05).get(timeout=20))
    try:
        broken.delay().get(timeout=20)
    except ValueError as e:
        print('failed:', e)
`;

describe('Celery', () => {
  itWithTool(
    'python3:celery',
    'tasks are done, tried again, chained, put off, and fail; results come by rpc',
    async () => {
      const { url } = await startHost();
      const { out } = await runTool(PYTHON, ['-c', CELERY, `${url}//`]);
      expect(out.trim().split('\n')).toEqual(['3 mended', '13', '5', 'failed: no']);
    },
  );
});
