import type { Host } from '@backlot/core';
import type { ManagementRoute } from '../routes/management-route.js';

/** What the headings are about that belong to no protocol. */
const ABOUT: Readonly<Record<string, string>> = {
  System: 'What the server is, whether it is well, and a reset.',
  'Captured messages': 'What clients have sent, as protocols keep it.',
  Data: 'What servers hold, such as keys, queues and topics; and messages that are sent by hand.',
  Webhooks: 'Requests that mocks have caused.',
  'Call verification': 'How often mocks were called, and waits for that.',
  Streams: 'Open streams, into which more can be pushed.',
  Connections: 'Who is connected.',
  Scenarios: 'Sets of changes that are switched together.',
  Reactions: 'What a message of one protocol causes in others.',
  Faults: 'What goes wrong with answers.',
  Toxics: 'What goes wrong with connections.',
  Incidents: 'Trouble as real servers have it, by name.',
  State: 'Values that mocks look at and set.',
  Collections: 'Rows that mocks of all protocols read and change.',
  Logs: 'What was received and answered, spans of applications, and checks of both.',
  Import: 'Files of other tools, out of which mocks are made.',
  Export: 'What runs, and what is in the log, as files of other tools.',
  Snapshots: 'All that can be put back.',
  Clock: 'The time that delays and expiries go by.',
  Spaces: 'Worlds beside each other, for tests that run at the same time.',
  Explain: 'Which mock would answer, and why others would not; and schemas of the protocols.',
};

/** The headings of routes, with what each is about. */
export function describeTags(
  { kinds }: Host,
  routes: readonly ManagementRoute[],
): readonly { readonly name: string; readonly description: string }[] {
  return [...new Set(routes.map(({ tag }) => tag))].map((name) => {
    const kind = kinds.find(({ protocol }) => name.startsWith(`${protocol.meta.title} `));
    return { name, description: ABOUT[name] ?? kind?.protocol.meta.summary ?? `Routes of ${name}.` };
  });
}
