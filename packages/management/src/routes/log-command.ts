import { placeOf, type Host } from '@backlot/core';
import { BacklotError, Type } from '@backlot/core/plugin';
import { answers, fails, paramOf, type ManagementRoute } from './management-route.js';

/** The command line that sends what an entry shows again. */
export function logCommandRoutes(): ManagementRoute[] {
  return [
    {
      method: 'GET',
      path: '/api/logs/{id}/command',
      name: 'getLogCommand',
      reach: 'here',
      gather: { as: 'one', param: 'id' },
      tag: 'Logs',
      summary: 'The command line that sends the message of a log entry again.',
      description:
        'For a POSIX shell or bash, with a program that is in use for the protocol. What the message says is quoted.',
      responses: {
        200: answers(
          'The command; null where the protocol has none for such a message.',
          Type.Object({
            tool: Type.Union([Type.String(), Type.Null()], { description: 'The program.' }),
            command: Type.Union([Type.String(), Type.Null()]),
          }),
        ),
        404: fails('The log does not hold the entry.'),
      },
      async handle(request, host) {
        const command = await writeCommand(host, paramOf(request, 'id'));
        return { body: command };
      },
    },
  ];
}

async function writeCommand(
  host: Host,
  id: string,
): Promise<{ tool: string | null; command: string | null }> {
  const item = host.journal.item(id);
  if (item === undefined) throw new BacklotError('not_found', `no log entry "${id}"`);
  const entry = item.render('near_misses');
  // A span was sent to no protocol, and an entry of an earlier run may be of one that is not installed.
  if (entry.span !== undefined || !host.hasKind(entry.protocol)) return { tool: null, command: null };
  const kind = host.kind(entry.protocol);
  const place = placeOf(kind);
  const { command } = kind.protocol;
  if (place === undefined || command === undefined) return { tool: null, command: null };
  return { tool: command.tool, command: command.write(item.message, place) ?? null };
}
