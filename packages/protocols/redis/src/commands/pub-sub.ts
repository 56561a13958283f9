import type { SubscriptionKind } from '../pub-sub.js';
import type { Session } from '../session.js';
import { COMMON_BOUNDS, OWN_BOUNDS } from '../subscriptions.js';
import { joinReplies, type Encoded } from '../wire/long-reply.js';
import { bulk, error, integer, nil, push } from '../wire/reply.js';
import { at, keyless, onKeys, type Args, type Command } from './command.js';
import { readGlob } from './globs.js';
import { BULKS, gatherList, gatherMatches, listHead, READY, STEP } from './work.js';

const CHANNELS = [1, -1, 1] as const;

/** The commands that publish and subscribe (redis.io, "Redis Pub/Sub", and the command page of each). */
export const PUB_SUB_COMMANDS: readonly Command[] = [
  keyless('publish', 3, 'p', function* (args, { server }) {
    return integer(yield* server.pubSub.publish('channel', at(args, 1), at(args, 2)));
  }),
  onKeys('spublish', 3, 'p', [1, 1, 1], function* (args, { server }) {
    return integer(yield* server.pubSub.publish('shard', at(args, 1), at(args, 2)));
  }),
  keyless('subscribe', -2, 'pns', (args, session) => subscribe(args, session, 'channel')),
  keyless('psubscribe', -2, 'pns', (args, session) => subscribe(args, session, 'pattern')),
  onKeys('ssubscribe', -2, 'pns', CHANNELS, (args, session) => subscribe(args, session, 'shard')),
  keyless('unsubscribe', -1, 'pns', (args, session) => unsubscribe(args, session, 'channel')),
  keyless('punsubscribe', -1, 'pns', (args, session) => unsubscribe(args, session, 'pattern')),
  onKeys('sunsubscribe', -1, 'pns', CHANNELS, (args, session) => unsubscribe(args, session, 'shard')),
  keyless('pubsub|channels', -2, 'p', (args, session) => channels(args, session, 'channel')),
  keyless('pubsub|shardchannels', -2, 'p', (args, session) => channels(args, session, 'shard')),
  keyless('pubsub|numsub', -2, 'p', (args, session) => counts(args, session, 'channel')),
  keyless('pubsub|shardnumsub', -2, 'p', (args, session) => counts(args, session, 'shard')),
  keyless('pubsub|numpat', 2, 'p', (_args, { server }) => integer(server.pubSub.sizeOf('pattern'))),
];

const WORDS: Readonly<Record<SubscriptionKind, string>> = {
  channel: 'subscribe',
  pattern: 'psubscribe',
  shard: 'ssubscribe',
};

function* subscribe(args: Args, session: Session, kind: SubscriptionKind): Generator<undefined, Encoded> {
  const { subscriptions, resp } = session;
  const word = bulk(WORDS[kind]);
  const answers: string[] = [];
  for (let index = 1; index < args.length; index += 1) {
    const name = at(args, index);
    if (!subscriptions.add(kind, name, kind === 'pattern' ? readGlob(name) : undefined)) {
      answers.push(error(TOO_MANY));
      break;
    }
    answers.push(push([word, bulk(name), integer(countOf(session, kind))], resp));
    if (index % STEP === 0) yield;
  }
  return joinReplies('', answers);
}

const TOO_MANY = `ERR too many subscriptions: a connection may have ${OWN_BOUNDS.count} with ${OWN_BOUNDS.bytes} bytes, and all connections together ${COMMON_BOUNDS.count} with ${COMMON_BOUNDS.bytes} bytes`;

function* unsubscribe(args: Args, session: Session, kind: SubscriptionKind): Generator<undefined, Encoded> {
  const { subscriptions, resp } = session;
  const word = bulk(WORDS[kind].replace('sub', 'unsub'));
  const names = args.length > 1 ? args.slice(1) : subscriptions.namesOf(kind);
  if (names.length === 0) return push([word, nil(resp), integer(countOf(session, kind))], resp);
  const answers: string[] = [];
  for (const name of names) {
    subscriptions.remove(kind, name);
    answers.push(push([word, bulk(name), integer(countOf(session, kind))], resp));
    if (answers.length % STEP === 0) yield;
  }
  return joinReplies('', answers);
}

/** Shard channels are counted by themselves. */
function countOf({ subscriptions }: Session, kind: SubscriptionKind): number {
  return kind === 'shard'
    ? subscriptions.countOf('shard')
    : subscriptions.countOf('channel') + subscriptions.countOf('pattern');
}

function* channels(
  args: Args,
  { server }: Session,
  kind: 'channel' | 'shard',
): Generator<undefined, Encoded> {
  const glob = readGlob(args[2] ?? '*');
  return yield* gatherMatches(listHead, server.pubSub.names(kind), glob, (name) => name, BULKS);
}

function* counts(args: Args, { server }: Session, kind: 'channel' | 'shard'): Generator<undefined, Encoded> {
  const pairs = countsOf(args, (name) => server.pubSub.countOf(kind, name));
  return yield* gatherList((count) => listHead(2 * count), pairs, READY);
}

function* countsOf(args: Args, count: (name: string) => number): Generator<string, void> {
  for (let index = 2; index < args.length; index += 1)
    yield bulk(at(args, index)) + integer(count(at(args, index)));
}
