"""What applications do with the cache of Django: django-redis over redis-py."""
import sys
from django.conf import settings

settings.configure(
    CACHES={
        'default': {
            'BACKEND': 'django_redis.cache.RedisCache',
            'LOCATION': 'redis://127.0.0.1:%s/1' % sys.argv[1],
            'KEY_PREFIX': 'shop',
            'OPTIONS': {'CLIENT_CLASS': 'django_redis.client.DefaultClient'},
        }
    },
    SESSION_ENGINE='django.contrib.sessions.backends.cache',
)
import django
django.setup()
from django.core.cache import cache
from importlib import import_module

print(cache.set('user:1', {'name': 'Ada', 'tags': ['a', 'b']}, timeout=60), cache.get('user:1'))
print(cache.get('none', 'default'), cache.add('user:1', 'x'), cache.has_key('user:1'))
print(0 < cache.ttl('user:1') <= 60, 0 < cache.pttl('user:1') <= 60000, cache.ttl('none'))
print(cache.expire('user:1', 5), cache.ttl('user:1') <= 5, cache.persist('user:1'), cache.ttl('user:1'))
print(cache.set('count', 1), cache.incr('count'), cache.incr('count', 10), cache.decr('count', 2))
try:
    cache.incr('none')
except ValueError as error:
    print(error)
print(cache.set_many({'a:%d' % i: i for i in range(5)}), cache.get_many(['a:0', 'a:4', 'a:9']))
print(sorted(cache.keys('a:*')), sorted(cache.iter_keys('a:*')) == sorted(cache.keys('a:*')))
print(cache.delete_pattern('a:*'), cache.keys('a:*'), cache.delete('count'), cache.delete('count'))
print(cache.get_or_set('made', lambda: [1, 2], 10), cache.touch('made', 100), cache.ttl('made') > 10)
print(cache.set('once', 1, nx=True), cache.set('once', 2, nx=True), cache.get('once'))
print(cache.set('v', 'old', version=1), cache.incr_version('v'), cache.get('v', version=2))

with cache.lock('job', timeout=60) as lock:
    other = cache.lock('job', timeout=60)
    print(lock.owned(), other.acquire(blocking=False), 50 < cache.client.get_client().ttl('shop:1:job') <= 60)
print(other.acquire(blocking=False), other.release())

SessionStore = import_module(settings.SESSION_ENGINE).SessionStore
session = SessionStore()
session['cart'] = [1, 2]
session.save()
again = SessionStore(session.session_key)
print(again['cart'], again.exists(session.session_key))
again.flush()
print(again.exists(session.session_key))

cache.set('short', 1, timeout=0)
print(cache.get('short'), cache.clear(), cache.keys('*'))
cache.close()
