/** What Redis 7 flags as `noscript`. */
const REFUSED = new Set(
  (
    'acl auth bgrewriteaof bgsave blmove blpop brpop brpoplpush bzpopmax bzpopmin client cluster|reset config|get config|resetstat ' +
    'config|rewrite config|set debug discard eval eval_ro evalsha evalsha_ro exec failover fcall fcall_ro function hello ' +
    'latency module monitor multi psubscribe psync punsubscribe quit replconf replicaof reset role save script shutdown ' +
    'slaveof ssubscribe subscribe sunsubscribe sync unsubscribe unwatch wait watch'
  ).split(' '),
);

/** Whether a script may not carry a command out. */
export function isRefused(name: string): boolean {
  const [container = name] = name.split('|');
  return REFUSED.has(name) || REFUSED.has(container);
}
