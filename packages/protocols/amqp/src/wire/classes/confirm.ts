import { defineMethod } from '../method.js';

/**
 * Class confirm (85), RabbitMQ's publisher confirms (rabbitmq.com, "Consumer Acknowledgements and Publisher
 * Confirms").
 */
export const confirm = {
  select: defineMethod(85, 10, 'confirm.select', { noWait: 'bit' }),
  selectOk: defineMethod(85, 11, 'confirm.select-ok', {}),
} as const;
