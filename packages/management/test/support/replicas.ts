import { once } from 'node:events';
import http from 'node:http';
import { BacklotError } from '@backlot/core/plugin';
import {
  commandRunner,
  type Command,
  type OtherReplica,
  type Replication,
  type Submission,
} from '../../src/index.js';
import { start, type Management } from './start.js';

/** Replicas in one process, with an order that is a list. */
export interface Replicas {
  readonly all: readonly Management[];
  /** What has been submitted, in order. */
  readonly commands: readonly Command[];
  readonly submissions: readonly Submission[];
  /** Those that do not answer others, by name. */
  readonly mute: Set<string>;
}

/** Starts so many replicas. What one is asked, all do at once. */
export async function startReplicas(
  count: number,
  given: Parameters<typeof start>[1] = {},
): Promise<Replicas> {
  const all: Management[] = [];
  const commands: Command[] = [];
  const submissions: Submission[] = [];
  const mute = new Set<string>();
  const runners: ReturnType<typeof commandRunner>[] = [];
  for (let index = 0; index < count; index += 1) {
    const replication: Replication = {
      get revision() {
        return commands.length;
      },
      name: `r${index}`,
      session: `s${index}`,
      others: () =>
        Promise.resolve(
          all.flatMap((other, place) => (place === index ? [] : [otherOf(other, place, mute)])),
        ),
      onMembers: () => () => undefined,
      admits: () => false,
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
  return { all, commands, submissions, mute };
}

function otherOf({ url }: Management, place: number, mute: ReadonlySet<string>): OtherReplica {
  const name = `r${place}`;
  return {
    ...{ name, session: `s${place}` },
    async ask({ method, path, body, space, signal }) {
      if (mute.has(name)) throw new BacklotError('unavailable', `the replica "${name}" does not answer`);
      const headers = space === undefined ? {} : { 'backlot-space': space };
      const request = http.request(url + path, { method, signal, headers });
      request.end(body === undefined ? undefined : JSON.stringify(body));
      const [response] = (await once(request, 'response')) as [http.IncomingMessage];
      return { status: response.statusCode ?? 0, headers: response.headers, body: response };
    },
  };
}
