import { describe, expect } from '@jest/globals';
import { itWithTool, PYTHON, runTool } from '@backlot/conformance';
import { startHost } from './support.js';

const CACHE = `
import sys
from django.conf import settings
settings.configure(CACHES={'default': {
    'BACKEND': 'django.core.cache.backends.memcached.PyMemcacheCache',
    'LOCATION': '127.0.0.1:' + sys.argv[1], 'KEY_PREFIX': 'site'}})
from django.core.cache import cache
cache.set('a', {'x': [1, 'é']}, 60)
print(cache.get('a'), cache.get('none', 'default'), cache.add('a', 1), cache.add('b', 1))
print(cache.incr('b'), cache.incr('b', 5), cache.decr('b', 2), cache.get('b'))
try:
    cache.incr('none')
except ValueError as e:
    print(e)
print(cache.touch('a', 10), cache.touch('none'), 'a' in cache)
print(cache.set_many({'c': 1, 'd': 2}), cache.get_many(['c', 'd', 'none']))
cache.delete_many(['c', 'd'])
print(cache.get('c'), cache.get('d'), cache.delete('b'), cache.delete('b'))
print(cache.get_or_set('e', lambda: 'made'), cache.get_or_set('e', 'anew'))
cache.set('v', 1, version=1)
print(cache.incr_version('v'), cache.get('v'), cache.get('v', version=2))
cache.clear()
print(cache.get('a'))
`;

describe('Django', () => {
  itWithTool(
    'python3:django python3:pymemcache.client.base',
    'a cache keeps, counts, touches and forgets',
    async () => {
      const { port } = await startHost();
      const { out, err } = await runTool(PYTHON, ['-c', CACHE, String(port)]);
      expect(err).toBe('');
      expect(out.trim().split('\n')).toEqual([
        "{'x': [1, 'é']} default False True",
        '2 7 5 5',
        "Key 'site:1:none' not found",
        'True False True',
        "[] {'c': 1, 'd': 2}",
        'None None True False',
        'made made',
        '2 None 1',
        'None',
      ]);
    },
  );
});
