import { access } from '../../wire/classes/access.js';
import { on, type Handler } from './handler.js';

/** Class access. */
export const ACCESS_HANDLERS: readonly Handler[] = [
  on(access.request, (channel) => channel.send(access.requestOk, { ticket: 1 })),
];
