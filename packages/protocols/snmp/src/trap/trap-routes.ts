import { Type, type Route } from '@backlot/core/plugin';
import type { SnmpService } from '../server.js';

const SentSchema = Type.Object({
  status: Type.Literal('sent', { description: 'That it was sent.' }),
  sent: Type.String({ description: 'Its id.' }),
});

const UNKNOWN = { description: 'There is no trap with this id.' };
const TAG = 'SNMP traps';

/** The routes of traps beside those of the list. */
export const TRAP_ROUTES: readonly Route<SnmpService>[] = [
  {
    method: 'GET',
    path: '/api/snmp/traps/{id}',
    name: 'getSnmpTrap',
    tag: TAG,
    summary: 'Shows a trap.',
    responses: { 200: { description: 'The trap, as it was given.', schema: Type.Object({}) }, 404: UNKNOWN },
    handle: ({ params }, { traps }) => ({ body: traps.get(params['id'] ?? '') }),
  },
  {
    method: 'POST',
    path: '/api/snmp/traps/{id}/send',
    name: 'sendSnmpTrap',
    tag: TAG,
    summary: 'Sends a trap.',
    description: 'An inform is sent again until its target acknowledges it, for 3 seconds.',
    responses: {
      200: { description: 'It was sent.', schema: SentSchema },
      404: UNKNOWN,
      500: {
        description:
          'It was not sent: the name does not resolve, the address is refused, the socket failed, or an inform got no answer.',
      },
    },
    async handle({ params }, { traps }) {
      const id = params['id'] ?? '';
      await traps.send(id);
      return { body: { status: 'sent', sent: id } };
    },
  },
];
