import type { Session } from '../session.js';

/** What is not measured: clients such as redis-py ask for these numbers all the same. */
const UNMEASURED = ['rbs', 'rbp', 'obl', 'oll', 'omem', 'tot-mem'] as const;

/** A client as CLIENT LIST shows it. */
export function describeLine(session: Session): string {
  const { server, subscriptions, queue, tracking } = session;
  const age = Math.floor((server.clock.now() - session.startedAt) / 1000);
  const tracked =
    tracking === undefined
      ? ''
      : `t${tracking.isRedirectBroken ? 'R' : ''}${tracking.options.isBroadcast ? 'B' : ''}`;
  const flags = `${session.wait === undefined ? '' : 'b'}${queue === undefined ? '' : 'x'}${subscriptions.size > 0 ? 'P' : ''}${tracked}`;
  const fields: readonly (readonly [string, string | number])[] = [
    ['id', session.id],
    ['addr', session.remote],
    ['laddr', `${session.local}:${server.port}`],
    ['fd', session.id],
    ['name', session.name],
    ['age', age],
    ['idle', 0],
    ['flags', flags === '' ? 'N' : flags],
    ['db', session.database.index],
    ['sub', subscriptions.countOf('channel')],
    ['psub', subscriptions.countOf('pattern')],
    ['ssub', subscriptions.countOf('shard')],
    ['multi', queue?.length ?? -1],
    ['qbuf', 0],
    ['qbuf-free', 0],
    ['argv-mem', 0],
    ['multi-mem', session.queueBytes],
    ...UNMEASURED.map((name) => [name, 0] as const),
    ['events', 'r'],
    ['cmd', session.lastCommand],
    ['user', session.user],
    ['redir', tracking?.options.redirect ?? -1],
    ['resp', session.resp],
    ['lib-name', session.libraryName],
    ['lib-ver', session.libraryVersion],
  ];
  return fields.map(([name, value]) => `${name}=${value}`).join(' ');
}
