import { describe, expect } from '@jest/globals';
import { itWithTool, PYTHON, runTool } from '@backlot/conformance';
import { startHost } from './support.js';

const SCRIPT = `
import sys
from pymemcache.client.base import PooledClient
from pymemcache.client.hash import HashClient
from pymemcache.client.retrying import RetryingClient
from pymemcache.exceptions import MemcacheClientError, MemcacheServerError
from pymemcache import serde

where = ('127.0.0.1', int(sys.argv[1]))
for c in (PooledClient(where, serde=serde.pickle_serde, default_noreply=False), HashClient([where], serde=serde.pickle_serde, default_noreply=False)):
    print(c.set('k', {'a': [1, 2]}), c.get('k'), c.add('k', 1), c.replace('none', 1))
    print(c.set_many({'x': 'ü', 'y': 2}), sorted(c.get_many(['x', 'y', 'z']).items()))
    value, token = c.gets('x')
    print(c.cas('x', 'new', token), c.cas('x', 'old', token), c.cas('none', 1, token), c.get('x'))
    print(c.set('n', '41'), c.incr('n', 1), c.decr('n', 50), c.incr('none', 1))
    print(c.set('t', b'b'), c.append('t', b'c'), c.prepend('t', b'a'), c.get('t'))
    print(c.touch('k', 100), c.touch('none'), c.delete('k'), c.delete('k'))
    try:
        c.incr('t', 1)
    except MemcacheClientError as error:
        print(type(error).__name__, error)
    c.set('quiet', 'x' * 100_000, noreply=True)
    print(len(c.get('quiet')), c.flush_all())
mocked = RetryingClient(PooledClient(where), attempts=2)
print(mocked.get('mocked:7'))
try:
    mocked.get('broken')
except MemcacheServerError as error:
    print(type(error).__name__, error)
print(PooledClient(where).version())
`;

describe('pymemcache', () => {
  itWithTool('python3:pymemcache.client.base', 'stores, reads, counts, and gets errors', async () => {
    const { port } = await startHost({}, [
      { command: 'get', key: 'mocked:*', response: { value: '{{request.key}}' } },
      { command: 'get', key: 'broken', response: { status: 'SERVER_ERROR out of order' } },
    ]);
    const { out, err } = await runTool(PYTHON, ['-c', SCRIPT, String(port)]);
    expect(err).toBe('');
    const both = [
      "True {'a': [1, 2]} False False",
      "[] [('x', 'ü'), ('y', 2)]",
      'True False None new',
      'True 42 0 None',
      "True True True b'abc'",
      'True False True False',
      "MemcacheClientError b'cannot increment or decrement non-numeric value'",
    ];
    expect(out.trim().split('\n')).toEqual([
      ...both,
      '100000 True',
      ...both,
      '100000 None',
      "b'mocked:7'",
      "MemcacheServerError b'out of order'",
      expect.stringMatching(/^b'\d+\.\d+/),
    ]);
  });
});
