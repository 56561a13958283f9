import { BacklotError } from '@backlot/core/plugin';
import { commandRunner, type Command, type Replication, type Submission } from '../../src/index.js';
import { start, type Management } from './start.js';

/** Replicas in one process, with an order that is a list. */
export interface Replicas {
  readonly all: readonly Management[];
  /** What has been submitted, in order. */
  readonly commands: readonly Command[];
  readonly submissions: readonly Submission[];
}

/** Starts so many replicas. What one is asked, all do at once. */
export async function startReplicas(
  count: number,
  given: Parameters<typeof start>[1] = {},
): Promise<Replicas> {
  const all: Management[] = [];
  const commands: Command[] = [];
  const submissions: Submission[] = [];
  const runners: ReturnType<typeof commandRunner>[] = [];
  for (let index = 0; index < count; index += 1) {
    const replication: Replication = {
      get revision() {
        return commands.length;
      },
      async submit(command, how) {
        // What travels is JSON.
        const sent = JSON.parse(JSON.stringify(command)) as Command;
        commands.push(sent);
        submissions.push(how);
        const revision = commands.length;
        const done = await Promise.allSettled(runners.map((run) => run(sent)));
        const own = done[index];
        if (own?.status !== 'fulfilled') throw own?.reason;
        return { revision, answer: own.value };
      },
      reach(revision) {
        if (revision <= commands.length) return Promise.resolve();
        return Promise.reject(new BacklotError('unconfirmed', 'not there yet'));
      },
      readiness: () => ({ isReady: index === 0, view: { status: index === 0 ? 'ready' : 'joining' } }),
    };
    const one = await start({ replication }, { ...given, replica: `r${index}` });
    all.push(one);
    runners.push(commandRunner(one.host, { replication }));
  }
  return { all, commands, submissions };
}
