import type { SubscriptionKind } from '../pub-sub.js';
import type { Session } from '../session.js';
import { array, bulk, bulks, integer, nil, push } from '../wire/reply.js';
import { at, keyless, onKeys, type Answer, type Args, type Command } from './command.js';

const CHANNELS = [1, -1, 1] as const;

/** The commands that publish and subscribe. */
export const PUB_SUB_COMMANDS: readonly Command[] = [
  keyless('publish', 3, 'p', (args, { hub }) =>
    integer(hub.pubSub.publish('channel', at(args, 1), at(args, 2))),
  ),
  onKeys('spublish', 3, 'p', [1, 1, 1], (args, { hub }) =>
    integer(hub.pubSub.publish('shard', at(args, 1), at(args, 2))),
  ),
  keyless('subscribe', -2, 'pns', (args, session) => subscribe(args, session, 'channel')),
  keyless('psubscribe', -2, 'pns', (args, session) => subscribe(args, session, 'pattern')),
  onKeys('ssubscribe', -2, 'pns', CHANNELS, (args, session) => subscribe(args, session, 'shard')),
  keyless('unsubscribe', -1, 'pns', (args, session) => unsubscribe(args, session, 'channel')),
  keyless('punsubscribe', -1, 'pns', (args, session) => unsubscribe(args, session, 'pattern')),
  onKeys('sunsubscribe', -1, 'pns', CHANNELS, (args, session) => unsubscribe(args, session, 'shard')),
  keyless('pubsub|channels', -2, 'p', (args, { hub }) => bulks(hub.pubSub.names('channel', args[2]))),
  keyless('pubsub|shardchannels', -2, 'p', (args, { hub }) => bulks(hub.pubSub.names('shard', args[2]))),
  keyless('pubsub|numsub', -2, 'p', (args, session) => counts(args, session, 'channel')),
  keyless('pubsub|shardnumsub', -2, 'p', (args, session) => counts(args, session, 'shard')),
  keyless('pubsub|numpat', 2, 'p', (_args, { hub }) => integer(hub.pubSub.names('pattern').length)),
];

const WORDS: Readonly<Record<SubscriptionKind, string>> = {
  channel: 'subscribe',
  pattern: 'psubscribe',
  shard: 'ssubscribe',
};

function subscribe(args: Args, session: Session, kind: SubscriptionKind): Answer {
  let answer = '';
  for (const name of args.slice(1)) {
    session.subscriptions[kind].add(name);
    session.hub.pubSub.add(kind, name, session);
    answer += push([bulk(WORDS[kind]), bulk(name), integer(countOf(session, kind))], session.resp);
  }
  return answer;
}

function unsubscribe(args: Args, session: Session, kind: SubscriptionKind): Answer {
  const own = session.subscriptions[kind];
  const word = bulk(WORDS[kind].replace('sub', 'unsub'));
  const names = args.length > 1 ? args.slice(1) : [...own];
  let answer = '';
  for (const name of names) {
    own.delete(name);
    session.hub.pubSub.remove(kind, name, session);
    answer += push([word, bulk(name), integer(countOf(session, kind))], session.resp);
  }
  if (names.length > 0) return answer;
  return push([word, nil(session.resp), integer(countOf(session, kind))], session.resp);
}

/** Shard channels are counted by themselves. */
function countOf({ subscriptions }: Session, kind: SubscriptionKind): number {
  return kind === 'shard'
    ? subscriptions.shard.size
    : subscriptions.channel.size + subscriptions.pattern.size;
}

function counts(args: Args, { hub }: Session, kind: SubscriptionKind): Answer {
  return array(args.slice(2).flatMap((name) => [bulk(name), integer(hub.pubSub.countOf(kind, name))]));
}
