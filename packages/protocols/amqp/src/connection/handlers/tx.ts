import { AmqpError } from '../../wire/amqp-error.js';
import { tx } from '../../wire/classes/tx.js';
import { REPLY } from '../../wire/reply-codes.js';
import type { ChannelContext } from '../channel-context.js';
import type { Transaction } from '../transaction.js';
import { on, type Handler } from './handler.js';

/** Class tx (AMQP 0-9-1 reference, 1.9). */
export const TX_HANDLERS: readonly Handler[] = [
  on(tx.select, (channel) => {
    if (channel.confirms !== undefined) {
      throw new AmqpError(REPLY.preconditionFailed, 'cannot switch from confirm to tx mode');
    }
    channel.startTransaction();
    channel.send(tx.selectOk, {});
  }),
  on(tx.commit, (channel) => {
    channel.connection.work(channel, commit(channel, transactionOf(channel)));
  }),
  on(tx.rollback, (channel) => {
    channel.unacked.restoreSnapshot(transactionOf(channel).rollback());
    channel.send(tx.rollbackOk, {});
  }),
];

function* commit(channel: ChannelContext, transaction: Transaction): Generator {
  yield* transaction.commit();
  channel.send(tx.commitOk, {});
}

function transactionOf({ transaction }: ChannelContext): Transaction {
  if (transaction === undefined) {
    throw new AmqpError(REPLY.preconditionFailed, 'channel is not transactional');
  }
  return transaction;
}
